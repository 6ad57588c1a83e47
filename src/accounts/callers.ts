import type { AppContext } from '../context.js';
import { isPersonalToken } from '../domain/personal-tokens/index.js';
import type { FindPerson } from '../http/page-sessions.js';

/** As `findPerson`, but also accepts personal tokens. An invalid one is anonymous. */
export function acceptingPersonalTokens(app: AppContext, findPerson: FindPerson): FindPerson {
  return async (headers) => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(headers.authorization?.trim() ?? '') ?? [];
    if (!isPersonalToken(token)) return findPerson(headers);
    return (await app.personalTokens.authenticate(token)) ?? { kind: 'anonymous' };
  };
}
