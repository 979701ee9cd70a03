# Makes isotonic.json. Run: pip install scikit-learn==1.9.1 && python make.py
import json, sklearn
import numpy as np
from sklearn.isotonic import IsotonicRegression
rng = np.random.default_rng(7)
n = 60
x = np.round(rng.random(n), 2)          # Rounding makes ties.
y = (rng.random(n) < x ** 2).astype(float)
w = np.round(rng.random(n) * 3 + 0.1, 2)
at = np.round(np.linspace(-0.1, 1.1, 25), 3)
cases = []
for weights in (None, w):
    fit = IsotonicRegression(out_of_bounds='clip').fit(x, y, sample_weight=weights)
    cases.append({'weights': None if weights is None else w.tolist(), 'fitted': fit.predict(x).tolist(), 'curve': fit.predict(at).tolist()})
json.dump({'sklearn': sklearn.__version__, 'x': x.tolist(), 'y': y.tolist(), 'at': at.tolist(), 'cases': cases}, open('isotonic.json', 'w'))
