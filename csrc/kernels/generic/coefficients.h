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
