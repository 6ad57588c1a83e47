import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { afterAll, describe, expect } from 'vitest';
import type { World } from '../../src/testing/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { ask } from '../harness/rest.js';
import { test } from '../harness/sandbox.js';

let world: World;
let bot: GatewayClient;

const COMMANDS = [
  {
    name: 'settings',
    description: 'Settings',
    options: [
      {
        type: 2,
        name: 'color',
        description: 'Color',
        options: [
          {
            type: 1,
            name: 'set',
            description: 'Set it',
            options: [
              { type: 6, name: 'member', description: 'Whose', required: true },
              { type: 7, name: 'channel', description: 'Where' },
              { type: 8, name: 'role', description: 'For whom' },
            ],
          },
        ],
      },
    ],
  },
  { name: 'Greet', type: 2 },
  { name: 'Quote', type: 3 },
  { name: 'upload', description: 'Upload', options: [{ type: 11, name: 'file', description: 'File', required: true }] },
  { name: 'upload', type: 2 },
  { name: 'upload', type: 3 },
];

test.beforeAll(async ({ instance, running }) => {
  world = await instance.createWorld({
    people: ['ada', 'grace', 'bob'],
    guilds: [
      {
        name: 'Kitchen',
        members: ['ada', 'grace'],
        channels: [
          'kitchen',
          { name: 'Table', type: 'voice' },
          { name: 'office', overwrites: [{ role: '@everyone', deny: ['ViewChannel'] }] },
        ],
        roles: ['Chef'],
      },
    ],
    applications: [{ name: 'Lunch bot', commands: COMMANDS as never }],
  });
  bot = await GatewayClient.open(running.origin);
  await bot.ready(world.bot.token);
});

afterAll(async () => {
  await bot.close();
  await world.dispose();
});

/** Answers the next interaction as the bot. @returns its payload */
async function answerNext(body: object) {
  const { d } = await bot.event(GatewayDispatchEvents.InteractionCreate);
  const response = await fetch(`${world.api}/v10/interactions/${d.id}/${d.token}/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(204);
  return d;
}

const REPLY = { type: 4, data: { content: 'done' } };

describe('a person', () => {
  test('names the people, channels and roles in the options of a subcommand', async () => {
    const options = { member: 'grace', channel: 'kitchen', role: 'Chef' };
    const [answer, { data }] = await Promise.all([
      world.person('ada').in('kitchen').slash('settings color set', options),
      answerNext(REPLY),
    ]);
    expect(answer.content).toBe('done');
    const [
      {
        options: [{ options: given }],
      },
    ] = data.options;
    expect(given.map(({ value }: { value: string }) => value)).toEqual([
      world.person('grace').id,
      world.guild.channels.find(({ name }) => name === 'kitchen')?.id,
      world.guild.roles.find(({ name }) => name === 'Chef')?.id,
    ]);
  });

  test('runs a command on a person and on a message', async () => {
    const kitchen = world.person('ada').in('kitchen');
    const [, onPerson] = await Promise.all([kitchen.contextMenu('Greet', 'grace'), answerNext(REPLY)]);
    expect(onPerson.data.target_id).toBe(world.person('grace').id);
    const message = await kitchen.send('Soup is ready.');
    const [, onMessage] = await Promise.all([kitchen.contextMenu('Quote', message), answerNext(REPLY)]);
    expect(onMessage.data.resolved.messages[message.id].content).toBe('Soup is ready.');
  });

  test('runs the command whose type the target needs, of several with one name', async () => {
    const kitchen = world.person('ada').in('kitchen');
    const message = await kitchen.send('Soup is ready.');
    for (const [target, type] of [
      ['grace', 2],
      [world.person('grace').id, 2],
      ['Lunch bot', 2],
      [message, 3],
    ] as const) {
      const [, { data }] = await Promise.all([kitchen.contextMenu('upload', target), answerNext(REPLY)]);
      expect(data).toMatchObject({ type, name: 'upload' });
    }
    await expect(kitchen.slash('Greet')).rejects.toThrow(
      'There is no slash command "Greet". There are: settings, Greet (user command), Quote (message command), upload',
    );
    await expect(kitchen.contextMenu('Greet', message)).rejects.toMatchObject({ code: 'UNKNOWN_COMMAND' });
    await expect(kitchen.contextMenu('Greet', 'nemo')).rejects.toMatchObject({ code: 'UNKNOWN_USER' });
  });

  test('uploads files with a command and with a message', async () => {
    const files = [{ name: 'menu.txt', content: 'Onion tart', contentType: 'text/plain' }];
    const kitchen = world.person('ada').in('kitchen');
    const [, { data }] = await Promise.all([kitchen.slash('upload', { file: 0 }, { files }), answerNext(REPLY)]);
    expect(Object.values(data.resolved.attachments)).toMatchObject([{ filename: 'menu.txt', size: 10 }]);
    const message = await kitchen.send({ content: 'See', files });
    expect(message.raw.attachments).toMatchObject([{ filename: 'menu.txt' }]);
  });

  test('chooses in a select by label, and by name in a select of users', async () => {
    const options = [{ label: 'Onion tart', value: 'tart' }];
    const components = [
      { type: 1, components: [{ type: 3, custom_id: 'dish', placeholder: 'Dish', options }] },
      { type: 1, components: [{ type: 5, custom_id: 'guest', placeholder: 'Guest' }] },
    ];
    const post = await fetch(`${world.api}/v10/channels/${world.guild.channels[0]?.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${world.bot.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Order', components }),
    });
    expect(post.status).toBe(200);
    const message = await world
      .person('ada')
      .in('kitchen')
      .nextMessage(({ content }) => content === 'Order');
    const [, dish] = await Promise.all([message.select('Dish').choose('Onion tart'), answerNext({ type: 6 })]);
    expect(dish.data.values).toEqual(['tart']);
    const [, guest] = await Promise.all([message.select('guest').choose('grace'), answerNext({ type: 6 })]);
    expect(guest.data.values).toEqual([world.person('grace').id]);
    await expect(message.button('Cancel').click()).rejects.toThrow(
      'There is no component "Cancel". There are: Dish, Guest.',
    );
  });

  test('fills in a modal by label', async () => {
    const modal = {
      custom_id: 'order',
      title: 'Order',
      components: [
        { type: 18, label: 'Dish', component: { type: 4, custom_id: 'dish', style: 1 } },
        { type: 18, label: 'Guest', component: { type: 5, custom_id: 'guest' } },
      ],
    };
    const [form] = await Promise.all([
      world.person('ada').in('kitchen').contextMenu('Greet', 'grace'),
      answerNext({ type: 9, data: modal }),
    ]);
    expect(() => form.message).toThrow('The bot answered with the modal "Order".');
    const [, { data }] = await Promise.all([form.submit({ Dish: 'Soup', Guest: ['bob'] }), answerNext(REPLY)]);
    expect(data.components.map(({ component }: { component: object }) => component)).toMatchObject([
      { value: 'Soup' },
      { values: [world.person('bob').id] },
    ]);
    await expect(form.submit({ Dish: 'Soup' })).rejects.toMatchObject({ code: 'NO_MODAL' });
  });

  test('sends, edits, reacts to and deletes messages, which the bot sees', async () => {
    const kitchen = world.person('grace').in('kitchen');
    const message = await kitchen.send({ content: 'Hello' });
    await kitchen.edit(message, 'Hello!');
    expect((await bot.event(GatewayDispatchEvents.MessageUpdate)).d.content).toBe('Hello!');
    await kitchen.react(message, '👍');
    expect((await bot.event(GatewayDispatchEvents.MessageReactionAdd)).d.user_id).toBe(world.person('grace').id);
    await kitchen.unreact(message, '👍');
    await bot.event(GatewayDispatchEvents.MessageReactionRemove);
    await kitchen.startTyping();
    await bot.event(GatewayDispatchEvents.TypingStart);
    await kitchen.delete(message);
    expect((await bot.event(GatewayDispatchEvents.MessageDelete)).d.id).toBe(message.id);
  });

  test('joins and leaves voice, and a server', async () => {
    await world.person('ada').joinVoice('Table');
    expect((await bot.event(GatewayDispatchEvents.VoiceStateUpdate)).d.user_id).toBe(world.person('ada').id);
    await world.person('ada').leaveVoice();
    expect((await bot.event(GatewayDispatchEvents.VoiceStateUpdate)).d.channel_id).toBeNull();
    await world.person('bob').join(await world.person('ada').createInvite('kitchen'));
    expect((await bot.event(GatewayDispatchEvents.GuildMemberAdd)).d.user.username).toBe('bob');
    await world.person('bob').leave();
    expect((await bot.event(GatewayDispatchEvents.GuildMemberRemove)).d.user.username).toBe('bob');
  });

  test('talks to the bot in direct messages', async () => {
    const direct = await world.person('grace').inDirectMessagesWith('Lunch bot');
    await direct.send('psst');
    expect((await bot.event(GatewayDispatchEvents.MessageCreate)).d).toMatchObject({ content: 'psst' });
  });

  test('uses the platform with a session', async () => {
    const { token } = await world.person('ada').signIn();
    const response = await fetch(`${world.api.replace(/\/api$/, '')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { username } }' }),
    });
    expect(await response.json()).toEqual({ data: { me: { username: 'ada' } } });
  });

  test('is refused with the reason of the platform', async () => {
    await expect(world.person('grace').in('office').send('hello')).rejects.toThrow(
      'Unknown Channel: in #office, grace has no permissions.',
    );
    await expect(world.person('bob').in('kitchen').send('hello')).rejects.toThrow(
      'Unknown Channel: bob is not a member of Kitchen.',
    );
    await world.guild.timeOut('grace', new Date(Date.now() + 60_000));
    await expect(world.person('grace').in('kitchen').send('hello')).rejects.toThrow('grace is timed out until');
    await world.guild.timeOut('grace', null);
    await expect(world.person('grace').in('kitchen').slash('settings', {})).rejects.toThrow('There is no subcommand');
  });

  test('is refused for ids that exceed those of the platform', async ({ running }) => {
    const kitchen = world.person('ada').in('kitchen');
    const message = '9999999999999999999';
    const unknown = { code: 'UNKNOWN_MESSAGE' };
    await expect(kitchen.edit(message, 'x')).rejects.toMatchObject(unknown);
    await expect(kitchen.delete(message)).rejects.toMatchObject(unknown);
    await expect(kitchen.react(message, '👍')).rejects.toMatchObject(unknown);
    await expect(kitchen.unreact(message, '👍')).rejects.toMatchObject(unknown);
    await expect(kitchen.send({ content: 'x', replyTo: message })).rejects.toMatchObject({ status: 400 });
    await expect(kitchen.contextMenu('Quote', message)).rejects.toThrow('Unknown Message');
    const { url, token } = running;
    const read = async (path: string) => {
      const address = `${url}/worlds/${world.id}/people/ada/${path}&channel=kitchen&withinMs=0`;
      return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).json();
    };
    expect(await read(`next-edit?message=${message}`)).toMatchObject(unknown);
    expect(await read(`next-message?from=anyone&after=${message}`)).toMatchObject({ code: 'NO_MESSAGE' });
    const component = await fetch(`${url}/worlds/${world.id}/people/ada/components`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'kitchen', message, component: 'x' }),
    });
    expect(await component.json()).toMatchObject(unknown);
    for (const path of [`webhooks/${message}/x`, `interactions/${message}/x/callback`]) {
      const { status } = await ask(running, 'POST', `/${path}`, { json: REPLY });
      expect(status).toBeLessThan(500);
    }
  });
});

describe('a wait', () => {
  test('waits for the commands of a bot that is starting, next to another one', async ({ instance, running }) => {
    const tea = { name: 'tea', description: 'Makes tea' };
    const other = await instance.createWorld({
      applications: [{ name: 'Tea bot', commands: [tea as never] }, 'Lunch bot'],
    });
    const lunchBot = other.application('Lunch bot');
    const ada = other.person('ada');
    const missing = ada.slash('lunch', {}, { withinMs: 20 });
    await expect(missing).rejects.toThrow(
      'There is no slash command "lunch". There are: tea. Lunch bot has registered no commands. Has the bot started?',
    );
    const asked = ada.slash('lunch');
    const starting = await GatewayClient.open(running.origin);
    await starting.ready(lunchBot.token);
    const { status } = await ask(running, 'PUT', `/applications/${lunchBot.id}/commands`, {
      json: [{ name: 'lunch', description: 'Suggests a dish' }, tea],
      headers: { authorization: `Bot ${lunchBot.token}` },
    });
    expect(status).toBe(200);
    const answer = async () => {
      const { d } = await starting.event(GatewayDispatchEvents.InteractionCreate);
      await ask(running, 'POST', `/interactions/${d.id}/${d.token}/callback`, { json: REPLY });
    };
    await answer();
    expect((await asked).content).toBe(REPLY.data.content);

    await expect(ada.slash('tea')).rejects.toThrow(
      'Several applications have the command "tea". Set application to one of: Tea bot, Lunch bot.',
    );
    const direct = await ada.inDirectMessagesWith('Lunch bot');
    for (const run of [ada.slash('tea', {}, { application: 'Lunch bot' }), direct.slash('tea')]) {
      await answer();
      expect((await run).content).toBe(REPLY.data.content);
    }
    await starting.close();
    await other.dispose();
  });

  test('fails with the reason if the bot does not answer', async () => {
    const run = world.person('ada').in('kitchen').contextMenu('Greet', 'grace', { withinMs: 150 });
    await expect(run).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await expect(run).rejects.toThrow(
      'The interaction "Greet" with Lunch bot had no answer within 150 ms. The bot received it and has not answered.',
    );
  });

  test('returns each message of a bot once, also if it came before', async () => {
    const say = (content: string) =>
      fetch(`${world.api}/v10/channels/${world.guild.channels[0]?.id}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${world.bot.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content }),
      });
    const kitchen = world.channel('kitchen');
    await world.person('ada').in('kitchen').send('from here on');
    await say('one');
    await say('two');
    expect((await kitchen.nextMessage()).content).toBe('one');
    expect((await kitchen.nextMessage()).content).toBe('two');
    const third = kitchen.nextMessage();
    await say('three');
    expect((await third).content).toBe('three');
    await kitchen.expectSilence(20);
    await say('four');
    await expect(kitchen.expectSilence(1_000)).rejects.toThrow(
      'Expected no message in kitchen, but Lunch bot sent: four',
    );
  });
});
