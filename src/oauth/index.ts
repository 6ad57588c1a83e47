import type { AppContext } from '../context.js';
import type { Entrypoint } from '../entrypoint.js';
import { allowOtherOrigins } from '../http/cors.js';
import { refuseOtherMethods } from '../http/methods.js';
import type { PageSessions } from '../http/page-sessions.js';
import { mountMetadata } from './metadata.js';
import { mountScreen } from './screen/index.js';
import { mountTokenEndpoints } from './token-endpoint.js';

export function createOAuthEntrypoint(app: AppContext, sessions: PageSessions): Entrypoint {
  return {
    async mount(http) {
      await http.register(async (scope) => {
        allowOtherOrigins(scope);
        refuseOtherMethods(scope, () => {
          mountMetadata(scope, app);
          mountTokenEndpoints(scope, app);
        });
      });
      await http.register(async (scope) => {
        refuseOtherMethods(scope, () => mountScreen(scope, app, sessions));
      });
    },
  };
}
