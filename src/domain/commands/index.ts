export { type CommandKey, type CommandScope, scopeOf } from './access.js';
export { CommandPatch, CommandSet, commandSchemas, NewCommand } from './body.js';
export { COMMANDS_PER_SCOPE } from './capacity.js';
export { isInDirectMessages } from './contexts.js';
export { createCommand } from './create.js';
export { deleteCommand } from './delete.js';
export { getCommand, listCommands } from './list.js';
export { LOCALES } from './localizations.js';
export { type CommandPlanEntry, type Overwriting, overwriteCommands, planOverwrite } from './overwrite.js';
export { patched } from './patch.js';
export {
  type CommandChoice,
  type CommandOption,
  type CommandRecord,
  commandRecord,
  GLOBAL_SCOPE,
} from './record.js';
export { isReservedName } from './reserved-names.js';
export { shortBodyOf } from './short-body.js';
export { updateCommand } from './update.js';
