import { BoxRoutes } from '../../src/domain/boxes/index.js';
import { boxSnowflakes } from '../../src/infra/ids.js';
import type { Server } from '../../src/server.js';

/** Has an instance that is no box make ids as a box of this id space does, and take them for its own. @returns what makes it as before */
export function asBox(app: Server['app'], idSpace: number): () => void {
  const { nextId, boxRoutes, clock, db, bus } = app;
  app.nextId = boxSnowflakes(clock, idSpace);
  app.boxRoutes = new BoxRoutes(db.reader, bus, clock, true);
  return () => {
    Object.assign(app, { nextId, boxRoutes });
  };
}
