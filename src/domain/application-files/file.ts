import { z } from 'zod';
import { ApplicationSettings } from '../applications/update.js';
import type { CallContext } from '../call.js';
import { strictCommandSet } from '../commands/strict.js';
import { fault, listUpTo, snowflake } from '../input.js';
import { limits } from '../limits.js';
import { NewWebhook } from '../webhooks/input.js';

/** Without an id, a webhook with the same name and channel counts as the same. */
const FileWebhook = z.strictObject({ id: snowflake().optional(), ...NewWebhook.shape, channel: snowflake() });

function fileSchema(builtIns: Pick<CallContext, 'hasBuiltIns'>) {
  return z.strictObject({
    /** For command-line tools. Callers name the application themselves. */
    application: snowflake().optional(),
    ...ApplicationSettings.shape,
    commands: section(strictCommandSet(builtIns)),
    webhooks: section(listUpTo(limits.webhooksPerApplication, FileWebhook)),
  });
}

const NO_LIST = fault('BASE_TYPE_REQUIRED', 'Write [] for an empty list, or remove this field.');

/** YAML reads a field without a value as null. Here it could mean to delete everything, or to change nothing. */
function section<Schema extends z.ZodType>(schema: Schema) {
  const list = z
    .unknown()
    .meta({ shownAs: schema })
    .refine((given): boolean => given !== null, { ...NO_LIST, abort: true });
  return list.pipe(schema).optional();
}

const WITH_BUILT_INS = fileSchema({ hasBuiltIns: true });

const WITHOUT_BUILT_INS = fileSchema({ hasBuiltIns: false });

/** The schema of a file's content. Omitted fields stay unchanged. An empty list deletes everything of its kind. */
export function applicationFile({ hasBuiltIns }: Pick<CallContext, 'hasBuiltIns'>): typeof WITH_BUILT_INS {
  return hasBuiltIns ? WITH_BUILT_INS : WITHOUT_BUILT_INS;
}

export type ApplicationFile = z.output<typeof WITH_BUILT_INS>;
