import { snowflake } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';

const Id = snowflake();

/**
 * @param path place in the input, for the error
 * @throws INVALID_INPUT if it is not a number; a number out of range is an unknown id
 */
export function parseId(text: string, path: string): bigint {
  return parseInput(Id, text, path);
}

export function parseOptionalId(text: string | null | undefined, path: string): bigint | undefined {
  return text === null || text === undefined ? undefined : parseId(text, path);
}

/** Pothos's `exposeID` fails at run time for a bigint. */
export const snowflakeId = {
  type: 'ID' as const,
  description: 'Snowflake ID.',
  resolve: (row: { id: bigint }) => String(row.id),
};

/** Options of required IDs in arguments and inputs. */
export const idOf = {
  application: { required: true, description: 'ID of the application.' },
  box: { required: true, description: 'ID of the box.' },
  channel: { required: true, description: 'ID of the channel.' },
  command: { required: true, description: 'ID of the command.' },
  emoji: { required: true, description: 'ID of the emoji.' },
  guild: { required: true, description: 'ID of the server.' },
  installation: { required: true, description: 'ID of the installation.' },
  interaction: { required: true, description: 'ID of the interaction.' },
  invitation: { required: true, description: 'ID of the invitation.' },
  message: { required: true, description: 'ID of the message.' },
  personalToken: { required: true, description: 'ID of the personal token.' },
  role: { required: true, description: 'ID of the role.' },
  team: { required: true, description: 'ID of the team.' },
  user: { required: true, description: 'ID of the user.' },
  webhook: { required: true, description: 'ID of the webhook.' },
} as const;
