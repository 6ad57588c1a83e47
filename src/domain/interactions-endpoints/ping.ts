import type { User } from '../../infra/database/index.js';

/** What an endpoint is asked when somebody wants to know whether it is one. Nothing can be answered with its token. */
export interface Ping {
  id: bigint;
  applicationId: bigint;
  token: string;
  /** Who wants to know. */
  user: User;
}
