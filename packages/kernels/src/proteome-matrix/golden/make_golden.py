"""Makes scipy.json: tests of shares and average linkage by SciPy 1.17.1 and statsmodels 0.15.0.

python make_golden.py > scipy.json
The counts are drawn at random; a category is not tested if no protein or every protein has it, or
if of three proteomes or more one would have less than one protein with it or without it.
"""

import json
import random

import scipy
import statsmodels
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.stats import chi2, chi2_contingency, fisher_exact
from statsmodels.stats.multitest import multipletests

draw = random.Random(7)


def table(sizes, categories):
    shares = [draw.choice((0.001, 0.02, 0.2, 0.6)) for _ in range(categories)]
    rows = []
    for share in shares:
        own = [min(0.99, share * draw.uniform(0.7, 1.4)) for _ in sizes]
        rows.append([sum(draw.random() < one for _ in range(size)) for one, size in zip(own, sizes)])
    rows.append([0] * len(sizes))
    rows.append(list(sizes))
    return rows


def tested(sizes, rows):
    found = []
    for row in rows:
        rest = [size - count for size, count in zip(sizes, row)]
        least = min(sizes) * min(sum(row), sum(rest)) / sum(sizes)
        if least == 0 or (len(sizes) > 2 and least < 1):
            found.append(None)
        elif len(sizes) == 2:
            found.append(float(fisher_exact([row, rest]).pvalue))
        else:
            found.append(float(chi2_contingency([row, rest], correction=False).pvalue))
    rates = iter(multipletests([p for p in found if p is not None], method="fdr_bh")[1])
    return [[p, None if p is None else float(next(rates))] for p in found]


def points(count, values):
    drawn = [[round(draw.random(), 6) for _ in range(values)] for _ in range(count)]
    merges = linkage(drawn, method="average")
    return {
        "points": drawn,
        "merges": [[int(min(a, b)), int(max(a, b)), float(height)] for a, b, height, _ in merges],
        "order": [int(leaf) for leaf in leaves_list(merges)],
    }


tables = []
for sizes in ([120, 300], [4300, 3900], [500, 700, 250], [400, 380, 610, 90, 220, 45, 800, 333]):
    rows = table(sizes, 12)
    tables.append({"sizes": sizes, "rows": rows, "tested": tested(sizes, rows)})
tails = [
    [x, degrees, float(chi2.sf(x, degrees))]
    for degrees in (1, 2, 3, 7, 49, 99)
    for x in (0.0, 0.01, 0.5, 1, 3.84, 10, 49, 99, 150, 700)
]
print(
    json.dumps(
        {
            "made_with": f"SciPy {scipy.__version__}, statsmodels {statsmodels.__version__}",
            "tails": tails,
            "tables": tables,
            "clusterings": [points(2, 3), points(9, 4), points(40, 12)],
        }
    )
)
