import { ComponentType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { notFound } from '../errors.js';
import type { World } from '../worlds/world.js';

/** The kind of thing that a value such as `ada`, `#kitchen` or `@Chef` names. */
type Kind = 'user' | 'role' | 'channel' | 'mentionable';

const OF_OPTION: Partial<Record<Option, Kind>> = {
  [Option.User]: 'user',
  [Option.Role]: 'role',
  [Option.Channel]: 'channel',
  [Option.Mentionable]: 'mentionable',
};

const OF_COMPONENT: Partial<Record<ComponentType, Kind>> = {
  [ComponentType.UserSelect]: 'user',
  [ComponentType.RoleSelect]: 'role',
  [ComponentType.ChannelSelect]: 'channel',
  [ComponentType.MentionableSelect]: 'mentionable',
};

type Value = string | number | boolean;

/** Replaces a name by the id that the platform expects. */
export async function optionValue(world: World, type: Option, value: Value): Promise<Value> {
  const kind = OF_OPTION[type];
  return kind === undefined ? value : idOfNamed(world, kind, String(value));
}

export async function selectValue(
  world: World,
  { type, options = [] }: { type: ComponentType; options?: readonly { label: string; value: string }[] },
  value: string,
): Promise<string> {
  const kind = OF_COMPONENT[type];
  if (kind !== undefined) return idOfNamed(world, kind, value);
  const chosen = options.find((option) => option.value === value) ?? options.find((option) => option.label === value);
  return chosen?.value ?? value;
}

async function idOfNamed(world: World, kind: Kind, name: string): Promise<string> {
  if (/^\d{15,}$/.test(name)) return name;
  switch (kind) {
    case 'channel':
      return String((await world.channel(name)).id);
    case 'role':
      return String((await world.role(world.guild(), name.replace(/^@(?!everyone$)/, ''))).id);
    case 'user':
      return idOfUser(world, name);
    case 'mentionable':
      return idOfUserOrRole(world, name);
  }
}

function idOfUser(world: World, name: string): string {
  const wanted = name.replace(/^@/, '');
  const users = [...world.people.values(), ...world.applications];
  const found = users.find((user) => user.name === wanted);
  if (!found)
    throw notFound(
      'user',
      name,
      users.map((user) => user.name),
    );
  return String(found.id);
}

async function idOfUserOrRole(world: World, name: string): Promise<string> {
  const wanted = name.replace(/^@/, '');
  const isUser = [...world.people.values(), ...world.applications].some((user) => user.name === wanted);
  return isUser ? idOfUser(world, name) : idOfNamed(world, 'role', name);
}
