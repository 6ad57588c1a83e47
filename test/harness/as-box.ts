import { BoxRoutes } from '../../src/domain/boxes/index.js';
import { boxSnowflakes } from '../../src/infra/ids/ids.js';
import type { Server } from '../../src/server.js';

/**
 * Lets an instance make ids in the id space of a box, and treat those as its own.
 * @returns a function that undoes it
 */
export function asBox(app: Server['app'], idSpace: number): () => void {
  const { nextId, boxRoutes, clock, db, bus } = app;
  app.nextId = boxSnowflakes(clock, idSpace);
  app.boxRoutes = new BoxRoutes(db.reader, bus, clock, true);
  return () => {
    Object.assign(app, { nextId, boxRoutes });
  };
}
