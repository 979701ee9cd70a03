"""Writes python-json.json beside this file, with values and the text that Python 3 prints for them. Run: python3 make.py"""
import hashlib
import json
import math
import pathlib
import random
import struct

rng = random.Random(7)
floats = [0.1, 1e-4, 9.999e-5, 1e-5, 1e15, 1e16, 123456789012345680.0, 1.5e300, 5e-324, 1.7976931348623157e308,
          -0.0, 0.0, 1.0, -2.0, 100.0, 1e22, 0.30000000000000004, 2.5, -1e-7, 4.35, 1e-10]
while len(floats) < 400:
    value = struct.unpack('<d', rng.randbytes(8))[0]
    if math.isfinite(value):
        floats.append(value)
strings = ['', 'plain', 'Prot\u00e9ine "x"', 'tab\tline\nend\r\b\f', '\u007f\u0080\u2028', '\U0001f600', 'a\\b/c', '\x00\x1f',
           '\u5206\u5b50', '\ud800']
tuples = [
    {'plm': 'esm2_t33_650M', 'k': 5, 'reranker_spec_id': 'lambdarank-63', 'feature_schema_sha': '6d97a624b8a7',
     'eval_set_name': 'v226-v230', 'eval_set_manifest_sha': 'ab' * 32, 'propagation': 'fill', 'ensemble_spec': None},
    {'ensemble_spec': {'weights': [0.5, 0.25, 1.0], 'b': True, 'a': ['\u00e4', 1e-7]}, 'propagation': 'max',
     'eval_set_manifest_sha': None, 'eval_set_name': 'S\u00e9lection \u03b2', 'feature_schema_sha': None,
     'reranker_spec_id': None, 'k': 10, 'plm': 'ankh3_large'},
]
keys = {'\uff5e': 1, '\U0001f600': 2, 'b': 3, 'B': 4, 'aa': 5, 'a': 6}
golden = {
    'floats': [[struct.pack('<d', value).hex(), json.dumps(value)] for value in floats],
    'strings': [[value, json.dumps(value)] for value in strings],
    'keys': [keys, json.dumps(keys, sort_keys=True)],
    'integers': [[str(value), json.dumps(value)] for value in (0, -7, 2**53 - 1, 2**70)],
    'tuples': [{'tuple': value, 'text': json.dumps(value, sort_keys=True),
                'id': hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]} for value in tuples],
}
pathlib.Path(__file__).with_name('python-json.json').write_text(json.dumps(golden, indent=1) + '\n')
