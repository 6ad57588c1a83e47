// Writes docs/configuration.md: npm run configuration
import { writeFileSync } from 'node:fs';
import { configurationPage } from '../src/settings.js';

writeFileSync('docs/configuration.md', configurationPage());
