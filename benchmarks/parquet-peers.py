"""Reads a Parquet file with pyarrow: sums and nulls of its numeric columns as JSON."""
import collections
import json
import sys

import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

table = parquet.read_table(sys.argv[1])
sums = {}
for name in table.column_names:
    column = table[name]
    if pyarrow.types.is_string(column.type):
        continue
    nulls = column.null_count
    if nulls:
        sums[name + ' nulls'] = nulls
    wide = column.cast(pyarrow.int32()) if pyarrow.types.is_boolean(column.type) else column
    sums[name] = compute.sum(wide.cast(pyarrow.float64())).as_py()
types = collections.Counter(str(field.type) for field in table.schema)
print(json.dumps({'version': pyarrow.__version__, 'sums': sums, 'types': ', '.join(f'{n} {t}' for t, n in types.items())}))
