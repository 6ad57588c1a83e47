/** The path of the REST interface in addresses that the service states. */
export const REST_PATH = '/api/v10';

/** `{base_url}` of client libraries is any of these: some count on the version, some leave it out, some state the bare origin. */
export const REST_PREFIXES = [REST_PATH, '/api', ''] as const;
