import { execute, parse } from 'graphql';
import { expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { leaveGuild } from '../../src/domain/guilds/index.js';
import { schema } from '../../src/schema/index.js';
import { test } from '../harness/fixtures.js';
import { graphqlContext } from '../harness/graphql-context.js';
import { afterLook } from '../harness/interleave.js';
import { createPerson } from '../harness/rows.js';
import { addMember, callOf, createGuild } from '../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

test.each(['channels { id }', 'members(first: 5) { edges { node { nick } } }', 'installations { id }'])(
  'a user who leaves while a server is loaded does not get its %s',
  async (field) => {
    const [guild, ada] = [await createGuild(app), await createPerson(app)];
    await addMember(app, guild.id, ada);
    const document = parse(`{ guild(id: "${guild.id}") { name ${field} } }`);
    const codes = async (seen: AppContext) => {
      const { errors = [] } = await execute({ schema, document, contextValue: graphqlContext(seen, ada) });
      return errors.map(({ originalError }) => originalError);
    };
    expect(await codes(app)).toEqual([]);
    const leaves = afterLook(app, 'guild.findUnique', () => leaveGuild(callOf(app, ada), guild.id));
    expect(await codes(leaves)).toMatchObject([{ code: 'UNKNOWN_GUILD' }]);
  },
);
