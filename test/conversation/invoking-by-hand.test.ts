import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { type OperationDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { putCommand } from '../harness/command-rows.js';
import { sendForm } from '../harness/forms.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { eventually } from '../harness/jobs.js';
import { createApplication, createGuild, install, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { type RunningProgram, startProgram } from './programs.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/interactions.md'), 'utf8');
const section = /^## Invoking by hand\n(.*?)^## /ms.exec(page)?.[1] ?? '';
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

const operations = new Map(
  parse(blocks('graphql').join('\n'))
    .definitions.filter((node): node is OperationDefinitionNode => node.kind === 'OperationDefinition')
    .map((node) => [node.name?.value, print(node)]),
);

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let example: RunningProgram | null = null;
let session: GatewayClient | null = null;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
});
afterAll(async () => {
  await example?.stop();
  await session?.close();
  await server.stop();
});

/** A text of the section with the ids of this test, by the names of their fields. */
function withIds(text: string, ids: Record<string, string>): string {
  return text.replace(/("?)\b(\w*[iI]d)\b\1: "\d+"/g, (given, _quote, field) =>
    given.replace(/\d+(?="$)/, ids[field] ?? 'an id that the test does not know'),
  );
}

function run(name: string, ids: Record<string, string>): Promise<Loose> {
  return ada.graphql(withIds(operations.get(name) ?? '', ids));
}

it('the operations in docs/interactions.md work with the slash bot when they are pasted', async () => {
  const application = await createApplication(ada, 'slash-bot');
  await install(ada, application, guild);
  const env = { API_URL: `${server.origin}/api`, BOT_TOKEN: application.botToken };
  example = await startProgram({ program: process.execPath, script: '../../examples/slash-bot/index.js', env });
  const commandId = /has the ID (\d+)/.exec(example.ready)?.[1] ?? '';
  const place = { channelId: guild.textChannelId };

  const { autocompleteCommand } = await run('Complete', { ...place, commandId });
  expect(autocompleteCommand.choices).toMatchObject([{ value: 'Bean soup' }, { value: 'Potato soup' }]);

  const { invokeCommand } = await run('Invoke', { ...place, commandId });
  const answered = await eventually(async () => {
    const { interaction } = await run('Answer', { id: invokeCommand.interaction.id });
    expect(interaction).toMatchObject({ state: 'ANSWERED', failure: null, message: { content: 'Bean soup: ada' } });
    return interaction;
  });

  const { useComponent } = await run('Press', { ...place, messageId: answered.message.id });
  const pressed = useComponent.interaction.id;
  await eventually(async () => {
    const { interaction } = await run('Modal', { id: pressed });
    expect(interaction.modal?.components).toMatchObject([{ type: 1, components: [{ type: 4, custom_id: 'text' }] }]);
  });

  const { submitModal } = await run('Submit', { interactionId: pressed });
  expect(submitModal.interaction.state).not.toBe('FAILED');
});

it('the form with a file in docs/interactions.md works with the slash bot', async () => {
  const application = await createApplication(ada, 'photographer');
  await install(ada, application, guild);
  session = await GatewayClient.open(server.origin);
  await session.ready(application.botToken);
  const options = [{ type: Option.Attachment, name: 'photo', description: 'What to look at' }];
  const command = await putCommand(server.app, BigInt(application.id), { options });
  const [call = ''] = blocks('sh');
  const form = new FormData();
  for (const [, field = '', text = ''] of call.matchAll(/-F (\w+)='(.*?)'/gs)) {
    form.append(field, withIds(text, { channelId: guild.textChannelId, commandId: String(command.id) }));
  }
  const [, field = '', name = ''] = /-F (\w+)=@(\S+)/.exec(call) ?? [];
  form.append(field, new Blob(['a picture']), name);
  const { data, errors } = await sendForm(server, ada, form);
  expect(errors).toEqual([]);
  expect(data?.invokeCommand.interaction.state).toBe('DELIVERED_GATEWAY');
  const { d } = await session.event('INTERACTION_CREATE');
  expect(Object.values(d.data.resolved.attachments)).toMatchObject([{ filename: 'photo.png' }]);
});
