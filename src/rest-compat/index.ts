import type { AppContext } from '../context.js';
import type { Entrypoint } from '../entrypoint.js';
import type { FindPerson } from '../http/page-sessions.js';
import { mountReference } from '../http/pages/api-reference.js';
import { credentialSchemes } from './credentials.js';
import { mountDocument, mountTable } from './http.js';
import { Interpreter } from './interpreter.js';
import type { Directory } from './locate.js';
import { openApiDocument } from './openapi.js';

import { pathsWithoutMethods, routes } from './table.js';

export function createRestEntrypoint(app: AppContext, findPerson: FindPerson, directory: Directory): Entrypoint {
  const schemes = credentialSchemes(app, findPerson);
  const interpreter = new Interpreter(app, { rows: routes, pathsWithoutMethods, schemes, directory });
  return {
    mount(http) {
      mountTable(http, interpreter);
      mountDocument(http, '/openapi.json', () => openApiDocument(routes, app.addresses.publicUrl));
      mountReference(http);
    },
  };
}

export { createEndpoints } from './endpoint-delivery.js';
export { performHanded } from './handed.js';
export { everythingHere } from './locate.js';
export { parityRows } from './parity.js';
