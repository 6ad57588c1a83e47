import type { AppContext, PageSessions } from '../context.js';
import type { Face } from '../face.js';
import { mountMetadata } from './metadata.js';
import { refuseOtherMethods } from './methods.js';
import { mountScreen } from './screen/index.js';
import { mountTokenEndpoints } from './token-endpoint.js';

/** OAuth2: the authorization server, with the screen on which people decide. */
export function createOAuthFace(app: AppContext, sessions: PageSessions): Face {
  return {
    async mount(http) {
      await http.register(async (scope) => {
        // Forms are read by the endpoints themselves, within limits of their own.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
        refuseOtherMethods(scope, () => {
          mountMetadata(scope, app);
          mountTokenEndpoints(scope, app);
          mountScreen(scope, app, sessions);
        });
      });
    },
  };
}
