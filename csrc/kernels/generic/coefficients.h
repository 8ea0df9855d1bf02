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

// ((atanh(s)/s - 1) / u - 1/3) / u in u = s^2; error 2^-66.37
static constexpr double kPowLog64[] = {
    0x1.9999999999996p-3,
    0x1.2492492493035p-3,
    0x1.c71c71c58053ep-4,
    0x1.745d18325d090p-4,
    0x1.3b1362b3342a2p-4,
    0x1.1120b6119c534p-4,
    0x1.de335e88afc9bp-5,
    0x1.eb11bb0b795cap-5,
};

// (tanh(x)/x - 1) / u in u = x^2, |x| <= 0.625; error 2^-26.48
static constexpr float kTanh32[] = {
    -0x1.5555320000000p-2f,
    0x1.1107280000000p-3f,
    -0x1.b83c600000000p-5f,
    0x1.5226c60000000p-6f,
    -0x1.75e2860000000p-8f,
};

// (tanh(x)/x - 1) / u in u = x^2, |x| <= 0.625; error 2^-55.87
static constexpr double kTanh64[] = {
    -0x1.55555555554ffp-2,
    0x1.111111110acd1p-3,
    -0x1.ba1ba1b50670fp-5,
    0x1.664f477ae0e0fp-6,
    -0x1.226e162c896f3p-7,
    0x1.d6cf281fcf3d8p-9,
    -0x1.7d68a3d3d5a6dp-10,
    0x1.336616e13aa30p-11,
    -0x1.df5598ab7ea63p-13,
    0x1.439165aab5a3cp-14,
    -0x1.0da7aa63561cfp-16,
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
