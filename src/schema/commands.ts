import { builder } from './builder.js';
import { snowflakeId } from './ids.js';

export const ApplicationCommand = builder.prismaObject('ApplicationCommand', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
  }),
});

export const CommandType = builder.enumType('CommandType', {
  values: { CHAT_INPUT: { value: 1 }, USER: { value: 2 }, MESSAGE: { value: 3 } } as const,
});
