// Polynomial coefficients, constant term first. Made by `python -m tools.polyfit --write`: change
// tools/polyfit/problems.py, not this file. Included inside a target region.
// clang-format off

// (exp(r) - 1 - r) / r^2, |r| <= log(2)/2; error 2^-28.01
static constexpr float kExp32[] = {
    0x1.fffffc0000000p-2f,
    0x1.5554920000000p-3f,
    0x1.5558ea0000000p-5f,
    0x1.1239da0000000p-7f,
    0x1.6a2a980000000p-10f,
};

// (exp(r) - 1 - r) / r^2, |r| <= log(2)/2; error 2^-56.39
static constexpr double kExp64[] = {
    0x1.000000000000ap-1,
    0x1.55555555554fbp-3,
    0x1.5555555550878p-5,
    0x1.1111111127759p-7,
    0x1.6c16c1842a65ap-10,
    0x1.a01a012c12718p-13,
    0x1.a0199a0c872ddp-16,
    0x1.71df210cb35f9p-19,
    0x1.28ad71fb40626p-22,
    0x1.ad86d306e0121p-26,
};

// (log(1 + f) - f + f^2/2) / f^3, 1 + f in [sqrt(1/2), sqrt(2)]; error 2^-27.02
static constexpr float kLog32[] = {
    0x1.5555540000000p-2f,
    -0x1.0002260000000p-2f,
    0x1.999fea0000000p-3f,
    -0x1.54727a0000000p-3f,
    0x1.22dd0e0000000p-3f,
    -0x1.0d86400000000p-3f,
    0x1.0545a40000000p-3f,
    -0x1.3876de0000000p-4f,
};

// (atanh(s)/s - 1) / u in u = s^2, s = f / (2 + f); error 2^-59.23
static constexpr double kLog64[] = {
    0x1.5555555555592p-2,
    0x1.999999997feb3p-3,
    0x1.24924941e4082p-3,
    0x1.c71c5213699bbp-4,
    0x1.74663cf66bbe2p-4,
    0x1.39a1ea1d22b20p-4,
    0x1.2f03a04332bfdp-4,
};

// (tanh(x)/x - 1) / u in u = x^2, |x| <= 0.625; error 2^-26.48
static constexpr float kTanh32[] = {
    -0x1.5555320000000p-2f,
    0x1.1107280000000p-3f,
    -0x1.b83c600000000p-5f,
    0x1.5226c60000000p-6f,
    -0x1.75e2860000000p-8f,
};

// (sin(r)/r - 1) / u in u = r^2, |r| <= pi/4; error 2^-57.14
static constexpr double kSin64[] = {
    -0x1.5555555555555p-3,
    0x1.111111111110bp-7,
    -0x1.a01a01a018a6ap-13,
    0x1.71de3a533058dp-19,
    -0x1.ae64528d3982dp-26,
    0x1.61208c1a7788bp-33,
    -0x1.aaa22ffa72124p-41,
};

// (cos(r) - 1 + u/2) / u^2 in u = r^2, |r| <= pi/4; error 2^-59.66
static constexpr double kCos64[] = {
    0x1.555555555554bp-5,
    -0x1.6c16c16c14f8ep-10,
    0x1.a01a019c83f60p-16,
    -0x1.27e4f7ea82705p-22,
    0x1.1ee9d786b9707p-29,
    -0x1.8fa48197bfc9bp-37,
};

// (asin(x)/x - 1) / u in u = x^2, |x| <= 1/2; error 2^-58.33
static constexpr double kAsin64[] = {
    0x1.5555555555577p-3,
    0x1.333333332e08cp-4,
    0x1.6db6db7219fb5p-5,
    0x1.f1c71a921a3acp-6,
    0x1.6e8bdf3159a2fp-6,
    0x1.1c49ea955a5e6p-6,
    0x1.ca201a76a4a64p-7,
    0x1.7580f20fdf379p-7,
    0x1.6156c8ad9b323p-7,
    0x1.e4617253b83b5p-9,
    0x1.6419b8d89eb6ap-6,
    -0x1.58b22b5f51857p-6,
    0x1.0b804e74620a7p-5,
};

// (atan(x)/x - 1) / u in u = x^2, |x| <= 7/16; error 2^-56.52
static constexpr double kAtan64[] = {
    -0x1.555555555550bp-2,
    0x1.999999998e704p-3,
    -0x1.2492491fee405p-3,
    0x1.c71c6fd953b67p-4,
    -0x1.745cdb75ae809p-4,
    0x1.3b0f1d61b053ap-4,
    -0x1.10d5e28b21997p-4,
    0x1.dddc109ccb3a3p-5,
    -0x1.9799dfe5de4fep-5,
    0x1.2b0843121cabcp-5,
    -0x1.0a5fdf242e2b8p-6,
};

// erf(x)/x - 1 in u = x^2, |x| <= 3/4; error 2^-56.33
static constexpr double kErf64[] = {
    0x1.06eba8214db69p-3,
    -0x1.812746b0379e7p-2,
    0x1.ce2f21a042bc4p-4,
    -0x1.b82ce31287c35p-6,
    0x1.565bcd0e2a04dp-8,
    -0x1.c02db3ec04496p-11,
    0x1.f9a322ee0d4e8p-14,
    -0x1.f4d1d39b076c4p-17,
    0x1.b9dab9227cf9bp-20,
    -0x1.5ebf1910c7299p-23,
    0x1.ef2c995bd5e2dp-27,
    -0x1.04ff9b8ad342cp-30,
};

// (1 + 2 x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4), 3/4 <= x <= 28; error 2^-54.03
static constexpr double kErfc64[] = {
    0x1.3ba5916e9fd7fp+0,
    -0x1.1df1ad154a289p-3,
    0x1.f7f5df66fdc77p-7,
    0x1.16ecefcfa4d08p-4,
    -0x1.9ddb23c3eba74p-4,
    0x1.7fee004e242aep-4,
    -0x1.0fb06dfe02f14p-4,
    0x1.3079edf3b342fp-5,
    -0x1.0962389404a25p-6,
    0x1.49c67381af184p-8,
    -0x1.8d4a8b7a076b9p-11,
    -0x1.a1dffad549dc8p-13,
    0x1.3bdf32495b664p-13,
    -0x1.993c9dbb98f1ap-16,
    -0x1.7856336733642p-17,
    0x1.7dee480c32618p-18,
    0x1.305ca96a2fcf8p-22,
    -0x1.aa4766257d637p-21,
    0x1.6422b60656f14p-24,
    0x1.54bd45ad74b47p-24,
    -0x1.4494d0af45cfep-26,
};

// exp(a^2/2) Q(a) / t in t = 1 / (1 + 0.3 a), 0 <= a <= 14; error 2^-25.77
static constexpr float kNormal32[] = {
    0x1.ea3c8c0000000p-4f,
    0x1.e9c4ec0000000p-4f,
    0x1.c37fc40000000p-4f,
    0x1.4133680000000p-4f,
    0x1.8985a20000000p-4f,
    -0x1.44b1480000000p-4f,
    0x1.8865be0000000p-3f,
    -0x1.d318d80000000p-3f,
    0x1.cc4ae00000000p-4f,
    -0x1.51b6ac0000000p-6f,
};

// (exp(r) - 1) / r, |r| <= log(2)/2; error 2^-37.7
static constexpr double kRise32[] = {
    0x1.fffffffff6425p-1,
    0x1.000000001a275p-1,
    0x1.5555557e1fbd2p-3,
    0x1.555554f4e666ap-5,
    0x1.1110a69331614p-7,
    0x1.6c1756645897dp-10,
    0x1.a17d56680164dp-13,
    0x1.a020753fb9dbap-16,
};

// (exp(r) - 1) / r, |r| <= log(2)/2; error 2^-62.96
static constexpr DoubleDouble kRiseLead[] = {
    {0x1.0000000000000p+0, 0x1.41664b7c00000p-75},
    {0x1.0000000000000p-1, -0x1.be7aa00b00000p-73},
    {0x1.5555555555555p-3, 0x1.54544c9ed40c2p-57},
};
static constexpr double kRiseTail[] = {
    0x1.5555555555555p-5,
    0x1.1111111111113p-7,
    0x1.6c16c16c16c0ap-10,
    0x1.a01a01a0185dep-13,
    0x1.a01a01a01f1e7p-16,
    0x1.71de3a5f310c5p-19,
    0x1.27e4fb67e3c78p-22,
    0x1.ae641ac79513ap-26,
    0x1.1eedb55b7f671p-29,
    0x1.61d9574ea15bep-33,
    0x1.939ded13f5fecp-37,
};

// atanh(s)/s in u = s^2, s = f / (2 + f); error 2^-72.95
static constexpr DoubleDouble kAtanhLead[] = {
    {0x1.0000000000000p+0, -0x1.929d800000000p-89},
    {0x1.5555555555555p-2, 0x1.5555723ab61b6p-56},
    {0x1.999999999999ap-3, -0x1.9b03b964e691ap-57},
};
static constexpr double kAtanhTail[] = {
    0x1.2492492492493p-3,
    0x1.c71c71c71c4e4p-4,
    0x1.745d1745ec2b4p-4,
    0x1.3b13b12e59617p-4,
    0x1.1111150e03b46p-4,
    0x1.e1e037c7d27dep-5,
    0x1.af62fa2568d38p-5,
    0x1.8105dfe7b2f9dp-5,
    0x1.a3cece1293655p-5,
};

// sin(r)/r in u = r^2, |r| <= pi/4; error 2^-76.34
static constexpr DoubleDouble kSinLead[] = {
    {0x1.0000000000000p+0, -0x1.9a94000000000p-92},
    {-0x1.5555555555555p-3, -0x1.55555516a2128p-57},
    {0x1.1111111111111p-7, 0x1.110dd5a736878p-63},
    {-0x1.a01a01a01a01ap-13, -0x1.2c798fa2f1000p-74},
};
static constexpr double kSinTail[] = {
    0x1.71de3a556c731p-19,
    -0x1.ae64567f53cb7p-26,
    0x1.6124613996f3ep-33,
    -0x1.ae7f3c5263330p-41,
    0x1.95298a8de5dd1p-49,
    -0x1.2d0fe6b1b4165p-57,
};

// cos(r) in u = r^2, |r| <= pi/4; error 2^-71.33
static constexpr DoubleDouble kCosLead[] = {
    {0x1.0000000000000p+0, -0x1.2e08a00000000p-87},
    {-0x1.0000000000000p-1, 0x1.6964f2b000000p-79},
    {0x1.5555555555555p-5, 0x1.5550c1c8cc912p-59},
    {-0x1.6c16c16c16c17p-10, 0x1.05e6f15d692c6p-64},
};
static constexpr double kCosTail[] = {
    0x1.a01a01a01a013p-16,
    -0x1.27e4fb7789438p-22,
    0x1.1eed8efe49cb4p-29,
    -0x1.939747b2c83a0p-37,
    0x1.ae7b5c1019ea1p-45,
    -0x1.65376eb5ecf8bp-53,
};

// (1 + 2 x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4), 3/4 <= x <= 28; error 2^-58.3
static constexpr DoubleDouble kErfcLead[] = {
    {0x1.3ba5916e9fd7fp+0, -0x1.aaa099314c608p-55},
    {-0x1.1df1ad154a28ep-3, -0x1.21fb1339bdd46p-57},
};
static constexpr double kErfcTail[] = {
    0x1.f7f5df66fd7c0p-7,
    0x1.16ecefcfa5395p-4,
    -0x1.9ddb23c3e9126p-4,
    0x1.7fee004e12574p-4,
    -0x1.0fb06dfe48668p-4,
    0x1.3079edf682109p-5,
    -0x1.096238855d6c3p-6,
    0x1.49c67286690c2p-8,
    -0x1.8d4a997693ce5p-11,
    -0x1.a1df259ab2909p-13,
    0x1.3be0303bd1c49p-13,
    -0x1.9959428627aa9p-16,
    -0x1.7880d5c2d4f81p-17,
    0x1.7f290bffe4af6p-18,
    0x1.381afb3154984p-22,
    -0x1.bb224357120dcp-21,
    0x1.54f2e139a3759p-24,
    0x1.da620b442e6ddp-24,
    -0x1.81b0723b0b80cp-26,
    -0x1.f8339f5b0b12bp-27,
    0x1.283a2f8b0868cp-28,
    0x1.a4596c1f2dfbep-30,
    -0x1.4265e4c32917ep-31,
};

// erf(x)/x in u = x^2, |x| <= 3/2; error 2^-56.98
static constexpr DoubleDouble kErfLead[] = {
    {0x1.20dd750429b6dp+0, 0x1.1ae3a8ef02a38p-56},
    {-0x1.812746b0379e7p-2, 0x1.ee1341dbbabe0p-57},
    {0x1.ce2f21a042be2p-4, -0x1.289af8067e5acp-58},
    {-0x1.b82ce31288b51p-6, 0x1.2d7706e1fe56cp-61},
};
static constexpr double kErfTail[] = {
    0x1.565bcd0e6a53ep-8,
    -0x1.c02db40040b5cp-11,
    0x1.f9a326f9b8342p-14,
    -0x1.f4d25c3e00d5bp-17,
    0x1.b9e6c9db7b408p-20,
    -0x1.5f742eb6134d1p-23,
    0x1.fcc570b53f778p-27,
    -0x1.51d70bf94ef23p-30,
    0x1.9e6a270f12c81p-34,
    -0x1.d83d89ebe0c09p-38,
    0x1.f63ffb4cc67efp-42,
    -0x1.f3a27fa4229e8p-46,
    0x1.cdb8f23ce7346p-50,
    -0x1.7e1cfccf7811ap-54,
    0x1.f9520a1ec1102p-59,
    -0x1.848f368c7bd87p-64,
};

// 2/pi in digits of 64 bits, after one of zero.
static constexpr uint64_t kTwoOverPi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};
