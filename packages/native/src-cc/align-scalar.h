/* These functions align one pair in 32-bit arithmetic, for scores beyond 16 bits, and for processors without wide vectors. */
#define NAME(x) x##_32
#define lane_t int32_t
#define LANES 1
#define vec int32_t
#define v_load(p) (*(p))
#define v_store(p, v) (*(p) = (v))
#define v_splat(x) (x)
#define v_add(a, b) ((a) + (b))
#define v_sub(a, b) ((a) - (b))
#define v_max(a, b) max_32(a, b)
#define v_any_greater(a, b) ((a) > (b))
#define v_profile(profile, query, groups) ((profile)[*(query)])
#define v_scores(row, letters, add) ((row)[*(letters)] + (add))
#define FLAG_BYTES 1
#define v_flags_store(p, a, b, c, d, e, f, g, h) \
  (*(p) = (uint8_t)(((a) == (b)) | ((c) == (d)) << 1 | ((e) > (f)) << 2 | ((g) > (h)) << 3))
#define v_flags_lane(p, lane) ((void)(lane), *(p))

static inline int32_t max_32(int32_t a, int32_t b) { return a > b ? a : b; }

#undef LANE_GROUPS
#include "align-body.h"

#undef NAME
#undef lane_t
#undef LANES
#undef vec
#undef v_load
#undef v_store
#undef v_splat
#undef v_add
#undef v_sub
#undef v_max
#undef v_any_greater
#undef v_profile
#undef v_scores
#undef FLAG_BYTES
#undef v_flags_store
#undef v_flags_lane
