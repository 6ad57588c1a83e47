import { ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { characters } from '../../input.js';
import { addFault } from './fields.js';
import { type actionRow, topLevel } from './layout.js';
import { checkDistinct, numberComponents, walk } from './tree.js';

export { type ModalContent, modalContent } from './modal.js';

const MAX_COMPONENTS = 40;

/** The most characters all texts of a message may have together. */
const MAX_TEXT = 4_000;

/**
 * A message's components, each with its number and with the reference platform's defaults where nothing was given. Which of them a
 * message may have follows from its flags (`layout.ts`).
 */
export const messageComponents = z
  .array(topLevel)
  .max(MAX_COMPONENTS)
  .superRefine(checkSize)
  .superRefine(checkDistinct)
  .transform(numberComponents)
  .brand<'MessageComponents'>();

export type MessageComponents = z.output<typeof messageComponents>;

/** Whatever may stand in a message by itself. */
export type MessageComponent = z.output<typeof topLevel>;

/** What people can press or pick from. */
export type InteractiveComponent = z.output<typeof actionRow>['components'][number];

function checkSize(components: MessageComponent[], context: z.RefinementCtx): void {
  let count = 0;
  let length = 0;
  for (const { node } of walk(components)) {
    count += 1;
    length += characters(node.content ?? '');
  }
  const refuse = (code: string, message: string) => addFault(context, [], code, message);
  if (count > MAX_COMPONENTS)
    refuse('COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', `There may be ${MAX_COMPONENTS} in all.`);
  if (length > MAX_TEXT) refuse('BASE_TYPE_MAX_LENGTH', `Their text must be ${MAX_TEXT} or fewer in length.`);
}

/**
 * What has a custom id among a message's stored components; undefined for none. Whether it can be used at present is in its
 * `disabled`.
 */
export function findComponent(stored: unknown, customId: string): InteractiveComponent | undefined {
  const parsed = messageComponents.safeParse(stored);
  const components = parsed.success ? parsed.data : [];
  return components.flatMap(interactiveIn).find(({ custom_id }) => custom_id === customId);
}

function interactiveIn(component: MessageComponent): InteractiveComponent[] {
  switch (component.type) {
    case ComponentType.ActionRow:
      return component.components;
    case ComponentType.Section:
      return component.accessory.type === ComponentType.Button ? [component.accessory] : [];
    case ComponentType.Container:
      return component.components.flatMap(interactiveIn);
    case ComponentType.TextDisplay:
    case ComponentType.MediaGallery:
    case ComponentType.File:
    case ComponentType.Separator:
      return [];
  }
}
