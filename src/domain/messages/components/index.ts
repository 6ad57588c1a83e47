import { ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { characters } from '../../input.js';
import { addFault } from './fields.js';
import { type actionRow, topLevel } from './layout.js';
import { checkDistinct, numberComponents, walk } from './tree.js';

export { type ModalContent, modalContent } from './modal.js';

const MAX_COMPONENTS = 40;

/** In characters. */
const MAX_TEXT = 4_000;

/**
 * Parsing fills in ids and Discord's defaults. `content/layout.ts` checks which components the message's flags allow.
 */
export const messageComponents = z
  .array(topLevel)
  .max(MAX_COMPONENTS)
  .superRefine(checkSize)
  .superRefine(checkDistinct)
  .transform(numberComponents)
  .brand<'MessageComponents'>();

export type MessageComponents = z.output<typeof messageComponents>;

export type MessageComponent = z.output<typeof topLevel>;

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
    refuse('COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', `A message can have at most ${MAX_COMPONENTS} components.`);
  if (length > MAX_TEXT)
    refuse('BASE_TYPE_MAX_LENGTH', `The text of all components must be ${MAX_TEXT} or fewer in length.`);
}

/** Also finds a disabled component. */
export function findComponent(stored: unknown, customId: string): InteractiveComponent | undefined {
  return interactiveComponents(stored).find(({ custom_id }) => custom_id === customId);
}

/** Buttons and selects, also disabled ones, in the order of the message. */
export function interactiveComponents(stored: unknown): InteractiveComponent[] {
  const parsed = messageComponents.safeParse(stored);
  return parsed.success ? parsed.data.flatMap(interactiveIn) : [];
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
