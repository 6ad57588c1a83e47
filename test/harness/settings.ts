import type { GraphqlAnswer, Loose } from './graphql.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';

const UPDATE_APPLICATION = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application {
    id name description iconUrl publicClient public privilegedIntents userInstall serverInstall
    defaultInstallSettings { context scopes permissions } installLinkMode customInstallUrl installUrl
    interactionsEndpointUrl redirectUris bot { username avatarUrl }
  } }
}`;

/** Asks to change an application, and shows the answer as it is. */
export function askUpdate(person: Person, applicationId: string, input: object): Promise<GraphqlAnswer<Loose>> {
  return person.ask(UPDATE_APPLICATION, { input: { applicationId, ...input } });
}

/** Changes an application, and fails the test when that is refused. */
export async function update(person: Person, applicationId: string, input: object): Promise<Loose> {
  const data = await person.graphql(UPDATE_APPLICATION, { input: { applicationId, ...input } });
  return data.updateApplication.application;
}

/** Uploads an icon by the GraphQL multipart request convention. */
export async function uploadIcon(
  server: Pick<TestServer, 'origin'>,
  person: Person,
  applicationId: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<GraphqlAnswer<Loose>> {
  const form = new FormData();
  const variables = { input: { applicationId, icon: null } };
  form.append('operations', JSON.stringify({ query: UPDATE_APPLICATION, variables }));
  form.append('map', JSON.stringify({ 0: ['variables.input.icon'] }));
  form.append('0', new Blob([content], { type: 'image/png' }), 'icon.png');
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}` },
    body: form,
  });
  const { data = null, errors = [] } = (await response.json()) as { data?: Loose; errors?: [] };
  return { status: response.status, data, errors };
}

/** Where the answer says the input is wrong: for each path the codes. */
export function faultsOf(answer: GraphqlAnswer<Loose>): Record<string, string[]> {
  const fields = answer.errors[0]?.extensions.fields ?? {};
  return Object.fromEntries(Object.entries(fields).map(([path, faults]) => [path, faults.map(({ code }) => code)]));
}
