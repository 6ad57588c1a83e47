import type { Client } from 'discord.js';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import type { World } from '../../src/testing/index.js';
import { test } from '../harness/sandbox.js';
import { startKitchenBot } from './kitchen-bot.js';

/** Tests as the author of the bot in kitchen-bot.ts writes them. */
let world: World;
let bot: Client;

test.beforeAll(async ({ instance }) => {
  world = await instance.createWorld({
    people: ['ada', 'grace', 'bob'],
    guilds: [
      {
        name: 'Kitchen',
        channels: ['kitchen', 'office'],
        roles: [{ name: 'Chef', permissions: ['ManageMessages'], members: ['grace'] }],
      },
    ],
    applications: [{ name: 'Lunch bot', permissions: ['ModerateMembers'] }],
  });
  bot = await startKitchenBot({ token: world.bot.token, api: world.api });
});

beforeEach(() => world.reset());

afterAll(async () => {
  await bot.destroy();
  await world.dispose();
});

describe('the kitchen bot', () => {
  test('answers a command with a button that others can use', async () => {
    const answer = await world.person('ada').in('kitchen').slash('lunch', { dish: 'Onion tart' });
    expect(answer.content).toBe('Onion tart: ada');
    const joined = await answer.button('Me too').clickedBy('grace');
    expect(joined.content).toBe('Onion tart: ada, grace');
  });

  test('takes an order with a modal', async () => {
    const form = await world.person('ada').slash('order');
    expect(form.modal.title).toBe('Order');
    const answer = await form.submit({ Dish: 'Soup' });
    expect(answer.content).toBe('Ordered: Soup');
  });

  test('keeps a secret to the person who asked', async () => {
    const answer = await world.person('ada').in('kitchen').slash('secret');
    expect(answer.isEphemeral).toBe(true);
    await world.person('grace').in('kitchen').expectSilence(30);
  });

  test('completes a deferred answer', async () => {
    expect((await world.person('ada').slash('bake')).content).toBe('Baked.');
  });

  test('offers the dishes that match what the person types', async () => {
    const { choices } = await world.person('ada').autocomplete('lunch', 'dish', { dish: 'om' });
    expect(choices.map(({ name }) => name)).toEqual(['Omelette']);
  });

  test('times a member out, who then cannot write until the timeout ends', async () => {
    const answer = await world.person('ada').slash('mute', { member: 'bob' });
    expect(answer.content).toBe('bob is quiet.');
    await expect(world.person('bob').in('kitchen').send('hello')).rejects.toMatchObject({
      code: 'MISSING_PERMISSIONS',
    });
    await world.guild.timeOut('bob', null);
    await world.person('bob').in('kitchen').send('hello');
  });

  test('replies to a message', async () => {
    const kitchen = world.person('ada').in('kitchen');
    await kitchen.send('ping');
    expect((await kitchen.nextMessage()).content).toBe('pong');
  });
});
