/** The path of the REST interface in addresses that the service states. */
export const REST_PATH = '/api/v10';

/** The prefix of requests at version 9, which are served as those at version 10 but for a few fields (decisions 380). */
export const REST_PATH_V9 = '/api/v9';

/** `{base_url}` of client libraries is any of these: some count on the version, some leave it out, some state the bare origin. */
export const REST_PREFIXES = [REST_PATH, REST_PATH_V9, '/api', ''] as const;
