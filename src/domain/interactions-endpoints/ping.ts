import type { User } from '../../infra/database/index.js';

/** Checks an endpoint. Its token cannot be used to answer. */
export interface Ping {
  id: bigint;
  applicationId: bigint;
  token: string;
  user: User;
}
