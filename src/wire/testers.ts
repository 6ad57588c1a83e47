import type { APIUser } from 'discord-api-types/v10';
import type { Tester, TesterState, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** See Discord's documentation, Teams. */
const STATES = { INVITED: 1, ACCEPTED: 2 } as const satisfies Record<TesterState, number>;

export interface WireTester {
  user: APIUser;
  state: 1 | 2;
}

export function renderTester({ user, state }: Tester & { user: User }): WireTester {
  return { user: renderUser(user), state: STATES[state] };
}
