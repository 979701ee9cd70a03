"""Files as h5py, NumPy and PyArrow write them: python3 make_golden.py (h5py 3, numpy 2, pyarrow)."""
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

vectors = {"P1": [1.5, -2.25, 0.0, 0.0999755859375], "P3": [65504.0, -0.5, 2.0 ** -24, 3.0]}
with h5py.File("float16.h5", "w", track_order=False) as file:
    for key, values in vectors.items():
        file.create_dataset(key, data=np.array(values, dtype=np.float16))
np.savez_compressed("per-protein.npz", **{key: np.array(values, dtype=np.float64) for key, values in vectors.items()})
np.savez("table.npz", ids=np.array(list(vectors)), vectors=np.array(list(vectors.values()), dtype=np.float16))
table = pa.table({"accession": list(vectors), "vector": pa.array(list(vectors.values()), pa.list_(pa.float32()))})
pq.write_table(table, "lists.parquet")
