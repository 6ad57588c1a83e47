import { listBuiltIns } from '../domain/built-in-commands/index.js';
import { builder } from './builder.js';

type ListedCommand = ReturnType<typeof listBuiltIns>[number];

const BuiltInCommand = builder.objectRef<ListedCommand>('BuiltInCommand').implement({
  description: 'A command that everybody has: `invokeCommand` runs it by its name.',
  fields: (t) => ({
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    options: t.field({
      type: 'JSON',
      description: "As the wire has a command's options.",
      resolve: ({ options }) => options,
    }),
    client: t.exposeBoolean('isOfClient', {
      description: 'Whether the client carries it out by itself; then it cannot be invoked.',
    }),
  }),
});

builder.queryField('builtInCommands', (t) =>
  t.field({
    type: [BuiltInCommand],
    description:
      'The commands that the platform and its clients answer themselves. Their names are reserved. None where `BUILT_IN_COMMANDS` is off.',
    resolve: (_root, _args, { call }) => (call.hasBuiltIns ? listBuiltIns() : []),
  }),
);
