import { ComponentType, type InteractionResponseType } from 'discord-api-types/v10';
import { callContext } from '../../src/context.js';
import type { CallContext } from '../../src/domain/call.js';
import { createInteraction } from '../../src/domain/interactions/delivery/create.js';
import { takeForGateway } from '../../src/domain/interactions/delivery/deliver.js';
import {
  type Answer,
  actorOfCallback,
  actorOfFollowUp,
  answerByToken,
  componentRequest,
  type InteractionRequest,
  modalRequest,
  SubmittedComponents,
} from '../../src/domain/interactions/index.js';
import type { MessageRecord } from '../../src/domain/messages/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import type { Interaction, Prisma } from '../../src/infra/database/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { InteractionCallback } from '../../src/rest-compat/interaction-callback.js';
import { complete, run, type Scene, sayWith, storeCommand } from '../domain/interactions/scene.js';
import type { TestServer } from './server.js';

export interface Asked {
  id: bigint;
  token: string;
}

/** Kinds of interactions. A modal may follow a command or a component. */
export const KINDS = ['command', 'component', 'autocompletion', 'modal', 'modal of a component'] as const;

export type Kind = (typeof KINDS)[number];

const BUTTON = { type: ComponentType.Button, style: 1, label: 'press', custom_id: 'press' };
export const ROW = { type: ComponentType.ActionRow, components: [BUTTON] };
const NAME = { type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1, required: false } };

export const MODAL = { custom_id: 'form', title: 'Form', components: [NAME] };
export const FILLED_IN = [{ type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' } }];

/** Stores an interaction. Unless `isTaken` is false, a gateway session takes it. */
export async function put(scene: Scene, request: InteractionRequest, isTaken = true): Promise<Asked> {
  const { interaction, token } = await createInteraction(scene.owner, request);
  if (isTaken) await takeForGateway(scene.owner, interaction, { isConnected: true });
  return { id: interaction.id, token };
}

export async function requestOf(scene: Scene, kind: Kind): Promise<InteractionRequest> {
  switch (kind) {
    case 'command':
      return run(scene, await storeCommand(scene));
    case 'component':
      return press(scene, await sayWith(scene, ROW));
    case 'autocompletion': {
      const option = { type: 3, name: 'text', description: 'What', autocomplete: true } as const;
      const commandId = await storeCommand(scene, [option]);
      return complete(scene, commandId, [{ name: 'text', type: 3, value: 'a', focused: true }]);
    }
    case 'modal':
      return fillIn(scene, await ask(scene, 'command'));
    case 'modal of a component':
      return fillIn(scene, await ask(scene, 'component'));
  }
}

export function press(scene: Scene, { id }: Pick<MessageRecord, 'id'>, call = scene.owner) {
  return componentRequest(call, { channelId: scene.guild.channel.id, messageId: id, customId: 'press' });
}

async function fillIn(scene: Scene, asked: Asked): Promise<InteractionRequest> {
  await answer(scene, asked, { type: 9, data: MODAL });
  const components = parseInput(SubmittedComponents, FILLED_IN, 'components');
  return modalRequest(scene.owner, { interaction: await rowOf(scene.server, asked), components });
}

export async function ask(scene: Scene, kind: Kind): Promise<Asked> {
  return put(scene, await requestOf(scene, kind));
}

export const ANSWERS = {
  4: { type: 4, data: { content: 'hello' } },
  5: { type: 5 },
  6: { type: 6 },
  7: { type: 7, data: { content: 'changed' } },
  8: { type: 8, data: { choices: [{ name: 'a', value: 'a' }] } },
  9: { type: 9, data: MODAL },
} satisfies Partial<Record<InteractionResponseType, object>>;

export async function answer(scene: Scene, { id, token }: Asked, body: object = ANSWERS[4]): Promise<Answer> {
  const callback = parseInput(InteractionCallback, body);
  return answerByToken(await callOfCallback(scene.server, { id, token }), { callback, files: [] });
}

/** The call context of a first response. */
export async function callOfCallback({ app }: Pick<TestServer, 'app'>, { id, token }: Asked): Promise<CallContext> {
  return callContext(
    app,
    await actorOfCallback({ read: app.db.reader, applications: app.applications, now: app.clock.now() }, id, token),
  );
}

/** The call context of later requests. */
export async function callOfFollowUp({ server: { app }, bot }: Scene, { token }: Asked): Promise<CallContext> {
  return callContext(
    app,
    await actorOfFollowUp({ read: app.db.reader, applications: app.applications, now: app.clock.now() }, bot.id, token),
  );
}

export function rowOf({ app }: Pick<TestServer, 'app'>, { id }: { id: bigint }): Promise<Interaction> {
  return app.db.reader.interaction.findUniqueOrThrow({ where: { id } });
}

export function alter({ app }: Pick<TestServer, 'app'>, { id }: Asked, data: Prisma.InteractionUncheckedUpdateInput) {
  return app.db.writer.interaction.update({ where: { id }, data });
}

export async function hearStates({ server: { app }, bot }: Scene, { id }: Pick<Asked, 'id'>) {
  const states: string[] = [];
  const subscription = app.bus.subscribe(topics.application(bot.id), (message) => {
    if (message.type !== 'INTERACTION_UPDATED' || message.interaction?.id !== String(id)) return;
    const { state } = message.interaction;
    if (state) states.push(state);
  });
  await subscription.ready;
  return { states, close: () => subscription.close() };
}

export function stepsOf({ app }: Pick<TestServer, 'app'>, { id }: { id: bigint }) {
  return app.db.reader.interactionStep.findMany({ where: { interactionId: id }, orderBy: { id: 'asc' } });
}

export async function kindsOfSteps(server: Pick<TestServer, 'app'>, asked: { id: bigint }): Promise<string[]> {
  return (await stepsOf(server, asked)).map(({ kind }) => kind);
}
