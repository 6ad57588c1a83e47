import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';

const whole = z.number().int().optional();
const flag = z.boolean().optional();

/** What decides how a stored component may be used; whatever else it holds is for whoever shows it. */
const StoredComponent = z.object({
  type: z.number().int(),
  id: whole,
  custom_id: z.string().optional(),
  style: whole,
  disabled: flag,
  required: flag,
  min_values: whole,
  max_values: whole,
  min_length: whole,
  max_length: whole,
  options: z.array(z.object({ value: z.string() })).optional(),
  channel_types: z.array(z.number().int()).optional(),
  get components(): z.ZodOptional<z.ZodArray<typeof StoredComponent>> {
    return z.array(StoredComponent).optional();
  },
  get component(): z.ZodOptional<typeof StoredComponent> {
    return StoredComponent.optional();
  },
  get accessory(): z.ZodOptional<typeof StoredComponent> {
    return StoredComponent.optional();
  },
});

export type StoredComponent = z.output<typeof StoredComponent>;

/** The components in a column of JSON, one within the other; none for one that cannot be used. */
export function storedComponents(value: unknown): StoredComponent[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((component) => StoredComponent.safeParse(component).data ?? []);
}

const StoredModal = z.object({ custom_id: z.string(), components: z.array(StoredComponent) });

export type StoredModal = z.output<typeof StoredModal>;

/** A modal in a column of JSON; undefined where there is none. */
export function storedModal(value: unknown): StoredModal | undefined {
  return StoredModal.safeParse(value).data;
}

/** The types of components that a click on in a message makes an interaction of. */
const USABLE_IN_MESSAGES: readonly ComponentType[] = [
  ComponentType.Button,
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
];

/** Buttons that lead elsewhere. */
const SILENT_STYLES: readonly (number | undefined)[] = [ButtonStyle.Link, ButtonStyle.Premium];

/** A message's component that makes interactions, wherever it stands; undefined where none has the custom id. */
export function findUsable(components: readonly StoredComponent[], customId: string): StoredComponent | undefined {
  return components.flatMap(withInner).find((component) => component.custom_id === customId && isUsable(component));
}

function isUsable({ type, style }: StoredComponent): boolean {
  return USABLE_IN_MESSAGES.includes(type) && !(type === ComponentType.Button && SILENT_STYLES.includes(style));
}

/** A component, and all that stand in it. */
function withInner(component: StoredComponent): StoredComponent[] {
  const { components = [], accessory } = component;
  return [component, ...[...components, ...(accessory ? [accessory] : [])].flatMap(withInner)];
}
