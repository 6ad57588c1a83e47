import { applicationRoutes } from './applications.js';
import { boxRoutes } from './boxes.js';
import { frameRoute, ownRoutes } from './frame.js';
import { instanceRoutes } from './instance.js';
import { rootRoute } from './root.js';
import { serverRoutes } from './servers.js';
import { teamRoutes } from './teams.js';
import { visitorRoutes } from './visitors.js';

export const routeTree = rootRoute.addChildren([
  ...visitorRoutes,
  frameRoute.addChildren([
    ...ownRoutes,
    ...applicationRoutes,
    ...teamRoutes,
    ...serverRoutes,
    ...boxRoutes,
    ...instanceRoutes,
  ]),
]);
