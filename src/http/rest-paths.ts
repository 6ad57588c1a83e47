/** Used in URLs that the service returns. */
export const REST_PATH = '/api/v10';

/** Served like version 10, except for a few fields. */
export const REST_PATH_V9 = '/api/v9';

/** Client libraries differ: the base URL may have a version, no version, or no path. */
export const REST_PREFIXES = [REST_PATH, REST_PATH_V9, '/api', ''] as const;
