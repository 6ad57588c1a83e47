import { listBuiltIns } from '../domain/built-in-commands/index.js';
import { builder } from './builder.js';

type ListedCommand = ReturnType<typeof listBuiltIns>[number];

const BuiltInCommand = builder.objectRef<ListedCommand>('BuiltInCommand').implement({
  description: 'A command of the platform. `invokeCommand` runs it by its name.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, which applications cannot register.' }),
    description: t.exposeString('description', { description: 'Explanation for the person who runs it.' }),
    options: t.field({
      type: 'JSON',
      description: "List of options, in the format of Discord's API.",
      resolve: ({ options }) => options,
    }),
    client: t.exposeBoolean('isOfClient', {
      description: 'Whether the client runs the command itself. `invokeCommand` then fails.',
    }),
  }),
});

builder.queryField('builtInCommands', (t) =>
  t.field({
    type: [BuiltInCommand],
    description: 'Commands of the platform and its clients. Empty if the setting `BUILT_IN_COMMANDS` is off.',
    resolve: (_root, _args, { call }) => (call.hasBuiltIns ? listBuiltIns() : []),
  }),
);
