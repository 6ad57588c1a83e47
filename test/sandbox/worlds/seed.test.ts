import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { Seed } from '../../../src/sandbox/worlds/seed.js';
import type { Seed as SeedForClients } from '../../../src/testing/index.js';

describe('a seed', () => {
  it('accepts everything that the type for clients allows', () => {
    expectTypeOf<SeedForClients>().toExtend<z.input<typeof Seed>>();
  });

  it('has two people, a server and a bot by default', () => {
    const { people, guilds, applications } = Seed.parse({});
    expect([people, guilds, applications].map((list) => list.map(({ name }) => name))).toEqual([
      ['ada', 'grace'],
      ['Test server'],
      ['Test bot'],
    ]);
  });

  it('takes a name alone for an object', () => {
    const seed = Seed.parse({ guilds: [{ name: 'Kitchen', channels: ['kitchen'], roles: ['Chef'] }] });
    expect(seed.guilds[0]?.channels[0]).toMatchObject({ name: 'kitchen', type: 'text' });
    expect(seed.guilds[0]?.roles[0]).toMatchObject({ name: 'Chef', permissions: 0n });
  });

  it('refuses an unknown field', () => {
    expect(Seed.safeParse({ server: [] }).success).toBe(false);
    expect(Seed.safeParse({ guilds: [{ name: 'Kitchen', chanels: [] }] }).success).toBe(false);
  });
});
