import {
  type DataExport as DataExportFacts,
  type ExportFigures,
  exportPerson,
  figuresOfExport,
  requestDataExport,
} from '../domain/data-export/index.js';
import { exportUrl } from '../wire/data-exports.js';
import { builder, FOR_OPERATORS, inputOf } from './builder.js';
import type { GraphqlContext } from './context.js';
import { OperatorPersonInput, personActedOn } from './instance-people.js';

const DataExport = builder.objectRef<ExportFigures & { url: string; expiresAt: Date }>('DataExportPayload').implement({
  description: 'A ZIP archive with the data of a person, which is written while it is downloaded.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Downloads the archive. Works without a session, so keep it secret.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time from which the URL is invalid.' }),
    messages: t.exposeInt('messages', { description: 'Number of messages in the archive.' }),
    files: t.exposeInt('files', { description: 'Number of files in the archive.' }),
  }),
});

const CreateDataExportInput = builder.inputType('CreateDataExportInput', {
  description: 'A request for the own data.',
  fields: (t) => ({ password: t.string({ required: true, description: 'Current password of the caller.' }) }),
});

async function payloadOf({ app, call, budget }: GraphqlContext, wanted: DataExportFacts) {
  const figures = await budget.step(() => figuresOfExport(call, wanted.personId));
  return { ...figures, ...exportUrl(wanted, app.addresses, call.clock) };
}

builder.mutationFields((t) => ({
  createDataExport: t.field({
    type: DataExport,
    description:
      "Creates a URL that downloads the caller's data within an hour, and mails the caller. Needs a session.",
    args: { input: t.arg(inputOf(CreateDataExportInput)) },
    resolve: async (_root, { input }, context) =>
      payloadOf(context, await requestDataExport(context.call, input.password)),
  }),
  operatorExportPerson: t.field({
    ...FOR_OPERATORS,
    type: DataExport,
    description: 'Creates a URL that downloads the data of a person within an hour. For operators.',
    args: { input: t.arg(inputOf(OperatorPersonInput)) },
    resolve: async (_root, { input }, context) =>
      payloadOf(context, await exportPerson(context.call, personActedOn(input))),
  }),
}));
