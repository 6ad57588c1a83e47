import { ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { CallContext } from '../../domain/call.js';
import { invalidInput } from '../../domain/errors.js';
import { accessChannel } from '../../domain/guilds/index.js';
import { SubmittedComponents, submitModal, useComponent } from '../../domain/interactions/index.js';
import {
  type InteractiveComponent,
  interactiveComponents,
  loadMessage,
  viewerOf,
} from '../../domain/messages/index.js';
import { parseInput } from '../../domain/parse-input.js';
import { notFound, SandboxError } from '../errors.js';
import type { AnswerDescription } from '../protocol.js';
import type { World } from '../worlds/world.js';
import { answerTo } from './answers.js';
import { receive, TestFile, UPLOADS_PER_CALL } from './files.js';
import { Id, idOf } from './ids.js';
import { selectValue } from './values.js';

export const Use = z.strictObject({
  channel: z.string(),
  message: Id,
  component: z.string().describe('The custom id, the label of a button, or the placeholder of a select.'),
  values: z.array(z.string()).max(25).optional().describe('For a select: values, labels, or names of what it lists.'),
});

/** @throws the refusals of `useComponent`, and the errors of `answerTo` */
export async function use(
  world: World,
  call: CallContext,
  input: z.output<typeof Use>,
  withinMs: number,
): Promise<AnswerDescription> {
  const channel = await world.channel(input.channel);
  const place = await accessChannel(call, channel.id, 'viewChannel');
  const message = await loadMessage(call, place, idOf(input.message), viewerOf(call));
  const component = findIn(interactiveComponents(message.components), input.component);
  const options = component.type === ComponentType.StringSelect ? component.options : [];
  const values = input.values?.map((value) => selectValue(world, { type: component.type, options }, value));
  const interaction = await useComponent(call, {
    channelId: channel.id,
    messageId: message.id,
    customId: component.custom_id,
    ...(values && { values: await Promise.all(values) }),
  });
  return answerTo(world, call, interaction, withinMs);
}

type Usable = InteractiveComponent & { custom_id: string };

/** The text that people see on it. */
function labelOf(component: InteractiveComponent): string | undefined {
  if (component.type !== ComponentType.Button) return component.placeholder ?? undefined;
  return component.label ?? component.emoji?.name ?? undefined;
}

function findIn(components: readonly InteractiveComponent[], wanted: string): Usable {
  const usable = components.filter((component): component is Usable => component.custom_id !== undefined);
  const found = usable.find(({ custom_id }) => custom_id === wanted) ?? usable.find((one) => labelOf(one) === wanted);
  if (found) return found;
  throw notFound(
    'component',
    wanted,
    usable.map((component) => labelOf(component) ?? component.custom_id),
  );
}

const Filled = z.union([z.string(), z.boolean(), z.array(z.string())]);

export const Submission = z.strictObject({
  interaction: Id.describe('The interaction that was answered with the modal.'),
  values: z.record(z.string(), Filled).default({}).describe('By custom id or label. Text, or a list for selects.'),
  files: z.array(TestFile).max(UPLOADS_PER_CALL).default([]).describe('The values of a file upload are indexes in it.'),
});

const StoredInput = z.looseObject({ type: z.int(), custom_id: z.string(), label: z.string().nullish() });
const StoredPart = z.looseObject({
  label: z.string().nullish(),
  components: z.array(StoredInput).optional(),
  component: StoredInput.optional(),
});

/** @throws the refusals of `submitModal`, and the errors of `answerTo` */
export async function submit(
  world: World,
  call: CallContext,
  input: z.output<typeof Submission>,
  withinMs: number,
): Promise<AnswerDescription> {
  const id = idOf(input.interaction);
  const shown = await call.read.interaction.findUnique({ where: { id }, select: { modal: true } });
  const modal = z.object({ components: z.array(StoredPart) }).safeParse(shown?.modal);
  if (!modal.success) {
    throw new SandboxError(
      409,
      'NO_MODAL',
      'The interaction was not answered with a modal, or it was already submitted.',
    );
  }
  const inputs = modal.data.components.flatMap(({ label, components = [], component }) => [
    ...components,
    ...(component ? [{ ...component, label: component.label ?? label }] : []),
  ]);
  const components = await Promise.all(
    Object.entries(input.values).map(async ([name, value]) => {
      const field = inputs.find((one) => one.custom_id === name) ?? inputs.find((one) => one.label === name);
      if (!field) {
        const known = inputs.map((one) => one.label ?? one.custom_id).join(', ');
        throw invalidInput({
          path: `values.${name}`,
          code: 'BASE_TYPE_INVALID',
          message: `The modal has the inputs ${known}.`,
        });
      }
      const { custom_id, type } = field;
      if (!Array.isArray(value)) return { type, custom_id, value };
      return { type, custom_id, values: await Promise.all(value.map((one) => selectValue(world, { type }, one))) };
    }),
  );
  const interaction = await submitModal(call, {
    interactionId: id,
    components: parseInput(SubmittedComponents, [{ type: ComponentType.ActionRow, components }], 'values'),
    files: await receive(world.app, input.files),
  });
  return answerTo(world, call, interaction, withinMs);
}
