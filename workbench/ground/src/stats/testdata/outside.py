"""Outside values for the tests of the statistics room.

Run:  python3 outside.py   (writes the .in files beside it)
Made with Python 3, numpy, SciPy, statsmodels and mpmath; versions are printed at the end.
"""
import os
import numpy as np, scipy, statsmodels, mpmath as mp
from scipy import stats
import statsmodels.api as sm
from statsmodels.stats.proportion import proportion_confint

mp.mp.dps = 40
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = "// Written by outside.py; do not edit.\n"


def num(x):
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return str(int(x))
    text = repr(float(x))
    return text


def rows(name, types, data):
    body = "".join("    (" + ", ".join(num(v) for v in row) + "),\n" for row in data)
    return f"#[rustfmt::skip]\nconst {name}: [({', '.join(types)}); {len(data)}] = [\n{body}];\n"


def row(name, types, data):
    return f"#[rustfmt::skip]\nconst {name}: ({', '.join(types)}) =\n    ({', '.join(num(v) for v in data)});\n"


def vector(name, data):
    return f"#[rustfmt::skip]\nconst {name}: [f64; {len(data)}] = [{', '.join(num(float(v)) for v in data)}];\n"


def save(file, *parts):
    with open(os.path.join(HERE, file), "w") as out:
        out.write(SOURCE + "".join(parts))


# Normal, by mpmath.
def cdf(x):
    return mp.erfc(-mp.mpf(x) / mp.sqrt(2)) / 2


def quantile(p):
    p = mp.mpf(p)
    guess = mp.mpf(stats.norm.ppf(float(p)))
    return mp.findroot(lambda x: mp.log(cdf(x) / p), guess)


xs = [-37.0, -20.0, -8.5, -3.2905, -1.0, -0.1, 1e-9, 0.3, 1.0, 2.5, 5.0, 9.0]
ps = [1e-300, 1e-100, 1e-20, 1e-6, 5e-4, 0.01, 0.025, 0.3, 0.499, 0.6, 0.84, 0.999, 0.9995]
save("normal.in",
     rows("NORMAL_CDF", ["f64", "f64"], [(x, cdf(x)) for x in xs]),
     rows("NORMAL_QUANTILE", ["f64", "f64"], [(p, quantile(p)) for p in ps]))


# Student t quantiles by mpmath root finding on the incomplete beta; beta and binomial by SciPy.
def t_quantile(p, dof):
    p, dof = mp.mpf(p), mp.mpf(dof)
    def tail(t):
        return mp.betainc(dof / 2, mp.mpf(1) / 2, 0, dof / (dof + t * t), regularized=True) / 2
    guess = -mp.mpf(stats.t.ppf(float(p), float(dof)))
    return -mp.findroot(lambda t: mp.log(tail(t) / p), guess)


student = [(p, dof, t_quantile(p, dof)) for dof in [1.0, 2.0, 3.0, 4.5, 9.0, 29.0, 100.0, 1000.0] for p in [1e-8, 5e-4, 0.025, 0.2]]
student += [(p, dof, stats.t.ppf(p, dof)) for dof in [99999.0, 200000.0, 1e7] for p in [5e-4, 0.025, 0.2]]
beta = [(a, b, x, stats.beta.cdf(x, a, b)) for a, b, x in [
    (0.5, 0.5, 0.1), (2.0, 3.0, 0.4), (10.0, 1.0, 0.9), (50.0, 50.0, 0.5), (500.0, 0.5, 0.995), (1.0, 1e6, 1e-6),
    (1e5, 1e5, 0.4985), (1e6, 2e6, 0.3334), (3e5, 0.5, 0.99999)]]
binomial = [(k, n, q, stats.binom.cdf(k, n, q)) for k, n, q in [
    (0, 10, 0.1), (3, 10, 0.5), (50, 100, 0.5), (4900, 10000, 0.5), (99, 10000, 0.01), (499000, 1000000, 0.5)]]
save("student.in", rows("STUDENT", ["f64", "f64", "f64"], student))
save("beta.in",
     rows("BETA", ["f64"] * 4, beta),
     rows("BINOMIAL", ["usize", "usize", "f64", "f64"], binomial))

# Hurwitz zeta and generalized harmonic numbers, by mpmath.
# mp.zeta is slow at large q: there Euler-Maclaurin at 40 digits stands in, checked against mp.zeta at q = 300.
def hurwitz(a, q):
    a, q = mp.mpf(a), mp.mpf(q)
    if q < 300:
        return mp.zeta(a, q)
    total = q ** (1 - a) / (a - 1) + q ** -a / 2
    for j in range(1, 16):
        total += mp.bernoulli(2 * j) / mp.factorial(2 * j) * mp.rf(a, 2 * j - 1) * q ** (1 - a - 2 * j)
    return total


assert all(abs(mp.zeta(mp.mpf(a), 300) / hurwitz(a, 300) - 1) < mp.mpf(10) ** -30 for a in [-0.5, 0.5, 1.5, 3.0])
tails = [(a, q, hurwitz(a, q)) for a in [1.000001, 1.01, 1.2, 1.5, 2.0, 2.5, 3.0, 5.0, 12.0, 50.5]
         for q in [1, 2, 7, 30, 1000, 10**6, 10**9]]
tails = [t for t in tails if t[2] > mp.mpf(10) ** -300]


def harmonic(n, a):
    a = mp.mpf(a)
    if a == 1:
        return mp.harmonic(n)
    if a < 0 and a == int(a):
        p = -int(a)
        return mp.mpf(sum(k ** p for k in range(1, n + 1))) if n < 10 ** 4 else (mp.bernpoly(p + 1, n + 1) - mp.bernpoly(p + 1, 0)) / (p + 1)
    return mp.zeta(a, 1) - hurwitz(a, n + 1)


sums = [(n, a, harmonic(n, a)) for a in [0.0, 0.5, 0.99999, 1.0, 1.0000001, 1.5, 2.0, 3.7]
        for n in [1, 2, 19, 50, 1000, 10**6, 10**9]]
save("zeta.in", rows("ZETA_TAIL", ["f64", "usize", "f64"], tails), rows("HARMONIC", ["usize", "f64", "f64"], sums))

# Means, quantiles, proportions.
sample = [2.1, -0.4, 3.3, 0.9, 1.7, 5.2, -1.1, 2.8, 0.3, 1.9]
low, high = stats.t.interval(0.999, len(sample) - 1, np.mean(sample), stats.sem(sample))
qs = [(q, np.quantile(sample, q)) for q in [0.1, 0.25, 0.5, 0.9]]
counts = [(k, n) + tuple(proportion_confint(k, n, alpha=0.001, method="beta"))
          for k, n in [(0, 10), (10, 10), (1, 10), (7, 20), (500, 1000), (3, 1000000), (123456, 1000000)]]
counts = [(k, n, 0.0 if k == 0 else l, 1.0 if k == n else h) for k, n, l, h in counts]
save("means.in", vector("SAMPLE", sample), rows("MEAN", ["f64"] * 3, [(np.mean(sample), low, high)]),
     rows("QUANTILES", ["f64", "f64"], qs), rows("PROPORTIONS", ["usize", "usize", "f64", "f64"], counts))

# A log-log fit by statsmodels.
x = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0])
y = np.array([0.51, 0.33, 0.24, 0.178, 0.119, 0.088])


def fit(model):
    result = model.fit()
    (a_low, a_high), (b_low, b_high) = result.conf_int(alpha=0.001)
    return (result.params[1], b_low, b_high, result.params[0], a_low, a_high, np.sqrt(result.scale))


X = sm.add_constant(np.log(x))
save("slope.in", vector("X", x), vector("Y", y), row("FIT", ["f64"] * 7, fit(sm.OLS(np.log(y), X))))

# Paired and unpaired differences.
a = [12.1, 9.8, 11.4, 10.9, 13.2, 10.1, 9.5, 12.7, 11.8, 10.4, 12.0, 9.9]
b = [11.2, 9.9, 10.8, 10.1, 12.9, 10.3, 9.0, 11.6, 11.9, 9.7, 10.8, 9.5]

d = np.array(a) - np.array(b)
rng = np.random.default_rng(5)
big = np.round(rng.normal(0.15, 1.0, 400), 6)[:9]
welch = stats.ttest_ind(a, big, equal_var=False)
interval = welch.confidence_interval(0.999)
welch_row = (np.mean(a) - np.mean(big), interval.low, interval.high)
save("paired.in", vector("A", a), vector("B", b), vector("BIG", big),
     rows("WELCH", ["f64"] * 3, [welch_row]),
     rows("PAIRED", ["f64"] * 3, [(d.mean(),) + stats.t.interval(0.999, len(d) - 1, d.mean(), stats.sem(d))]))

# Gauss-Hermite by mpmath (roots of the orthonormal polynomials), n = 5 and the outer half of n = 40.
def orthonormal(n, t):
    p0, p1 = mp.mpf(0), mp.mpf(1)
    for k in range(n):
        p0, p1 = p1, (t * p1 - mp.sqrt(k) * p0) / mp.sqrt(k + 1)
    return p1


def hermite_rule(n):
    nodes, _ = np.polynomial.hermite_e.hermegauss(n)
    out = []
    for guess in nodes:
        z = mp.findroot(lambda t: orthonormal(n, t), mp.mpf(float(guess)), tol=mp.mpf(10) ** -50)
        total, p0, p1 = mp.mpf(1), mp.mpf(0), mp.mpf(1)
        for k in range(n - 1):
            p0, p1 = p1, (z * p1 - mp.sqrt(k) * p0) / mp.sqrt(k + 1)
            total += p1 * p1
        out.append((z, 1 / total))
    return out


save("hermite.in", rows("RULE_5", ["f64", "f64"], hermite_rule(5)), rows("RULE_40", ["f64", "f64"], hermite_rule(40)))
print("numpy", np.__version__, "scipy", scipy.__version__, "statsmodels", statsmodels.__version__, "mpmath", mp.__version__)
