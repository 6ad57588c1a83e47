import type { OperatorRole } from '../../src/infra/database/index.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';

/** Gives a person a role on the instance, or takes it with null. */
export async function makeOperator(
  { app }: Pick<TestServer, 'app'>,
  { id }: Pick<Person, 'id'>,
  operatorRole: OperatorRole | null = 'OPERATOR',
): Promise<void> {
  await app.db.writer.authUser.update({ where: { userId: BigInt(id) }, data: { operatorRole } });
}

const mutation = (name: string, input: string, shown: string) =>
  `mutation ($input: ${input}!) { ${name}(input: $input) { ${shown} } }`;

const PERSON = 'person { id operatorRole suspendedAt suspensionText }';
const LIMIT = 'limit { kind default value isSet perSubject { subject name value } }';
const APPLICATION = 'application { id suspendedAt suspensionText }';

export const OPERATOR_MUTATIONS = {
  setRole: mutation('operatorSetRole', 'OperatorSetRoleInput', PERSON),
  suspendPerson: mutation('operatorSuspendPerson', 'OperatorSuspendPersonInput', PERSON),
  restorePerson: mutation('operatorRestorePerson', 'OperatorPersonInput', PERSON),
  signOutPerson: mutation('operatorSignOutPerson', 'OperatorPersonInput', PERSON),
  passwordLink: mutation('operatorCreatePasswordLink', 'OperatorPersonInput', 'url'),
  deletePerson: mutation(
    'operatorDeletePerson',
    'OperatorDeletePersonInput',
    'personId deletion { state messages servers }',
  ),
  exportPerson: mutation('operatorExportPerson', 'OperatorPersonInput', 'url messages files'),
  suspendApplication: mutation('operatorSuspendApplication', 'OperatorSuspendApplicationInput', APPLICATION),
  restoreApplication: mutation('operatorRestoreApplication', 'OperatorApplicationInput', APPLICATION),
  transferServer: mutation('operatorTransferServer', 'OperatorTransferServerInput', 'server { owner { username } }'),
  deleteServer: mutation('operatorDeleteServer', 'OperatorServerInput', 'id'),
  setLimit: mutation('operatorSetLimit', 'OperatorSetLimitInput', LIMIT),
  disconnectBox: mutation('operatorDisconnectBox', 'OperatorDisconnectBoxInput', 'box { id status }'),
} as const;

/** Entries of the log of the instance, newest first: action, name of the actor, name of the target, and reason. */
export async function instanceLog(operator: Person): Promise<string[]> {
  const { instance } = await operator.graphql(
    '{ instance { auditLog(last: 100) { edges { node { action actor { username } targetName reason } } } } }',
  );
  interface Entry {
    node: { action: string; actor: { username: string } | null; targetName: string | null; reason: string | null };
  }
  return instance.auditLog.edges
    .map(({ node }: Entry) => [node.action, node.actor?.username, node.targetName, node.reason].join(' | '))
    .reverse();
}
