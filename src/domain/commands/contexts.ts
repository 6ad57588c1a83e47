import { InteractionContextType as Context } from 'discord-api-types/v10';

/** Where a command can be used; null for everywhere. */
type Contexts = Context[] | null;

/** Whether a command can be used in direct messages with its bot: all that the older `dm_permission` tells. */
export function isInDirectMessages(contexts: Contexts): boolean {
  return contexts === null || contexts.includes(Context.BotDM);
}

/** The contexts of a new command, of which `dm_permission` decides where nothing else does. */
export function contextsOf(contexts: Contexts, dmPermission: boolean | undefined): Contexts {
  return contexts ?? contextsWith(null, dmPermission ?? true);
}

/** Contexts as they are to be when only `dm_permission` is said of them. */
export function contextsWith(contexts: Contexts, dmPermission: boolean): Contexts {
  if (isInDirectMessages(contexts) === dmPermission) return contexts;
  if (dmPermission) return null;
  const others = contexts?.filter((context) => context !== Context.BotDM) ?? [];
  return others.length > 0 ? others : [Context.Guild];
}
