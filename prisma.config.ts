import { defineConfig } from 'prisma/config';

// `prisma generate` needs no native schema engine, but would download one; naming any existing binary stops that.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: process.env.CAUSEWAY_PRISMA_SCHEMA ?? 'prisma/schema.prisma' });
