import type { AppContext } from '../../src/context.js';
import type { User } from '../../src/infra/database/index.js';
import { OperationBudget } from '../../src/schema/budget.js';
import type { GraphqlContext } from '../../src/schema/context.js';
import { Loaders } from '../../src/schema/loaders.js';
import { Streams } from '../../src/schema/streams.js';
import { Turn } from '../../src/schema/turn.js';
import { callOf } from './world.js';

export function graphqlContext(app: AppContext, user: User, streams = new Streams(app.clock)): GraphqlContext {
  return {
    app,
    call: callOf(app, user),
    loaders: new Loaders(),
    budget: new OperationBudget(async () => {}),
    streams,
    turn: new Turn(),
    isStillSignedIn: async () => true,
  };
}
