import type { Route } from './route.js';
import { applicationRoutes } from './routes/applications.js';
import { clockRoutes } from './routes/clock.js';
import { faultRoutes, transcriptRoutes } from './routes/faults.js';
import { guildRoutes } from './routes/guilds.js';
import { personRoutes } from './routes/people.js';
import { worldRoutes } from './routes/worlds.js';

export const routes: readonly Route[] = [
  ...worldRoutes,
  ...personRoutes,
  ...guildRoutes,
  ...applicationRoutes,
  ...faultRoutes,
  ...transcriptRoutes,
  ...clockRoutes,
];
