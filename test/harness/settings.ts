import { operationForm, sendForm } from './forms.js';
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

/** Sends a change of an application and returns the response, errors included. */
export function askUpdate(person: Person, applicationId: string, input: object): Promise<GraphqlAnswer<Loose>> {
  return person.ask(UPDATE_APPLICATION, { input: { applicationId, ...input } });
}

export async function update(person: Person, applicationId: string, input: object): Promise<Loose> {
  const data = await person.graphql(UPDATE_APPLICATION, { input: { applicationId, ...input } });
  return data.updateApplication.application;
}

/** Uploads an icon by the GraphQL multipart request convention. */
export function uploadIcon(
  server: Pick<TestServer, 'origin'>,
  person: Person,
  applicationId: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<GraphqlAnswer<Loose>> {
  const operation = { query: UPDATE_APPLICATION, variables: { input: { applicationId, icon: null } } };
  const icon = { places: ['variables.input.icon'], content, filename: 'icon.png', type: 'image/png' };
  return sendForm(server, person, operationForm(operation, [icon]));
}

/** The field faults of a response: codes by path. */
export function faultsOf(answer: GraphqlAnswer<Loose>): Record<string, string[]> {
  const fields = answer.errors[0]?.extensions.fields ?? {};
  return Object.fromEntries(Object.entries(fields).map(([path, faults]) => [path, faults.map(({ code }) => code)]));
}
