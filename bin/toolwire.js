#!/usr/bin/env node
import { main } from '../dist/cli.js';

// Not awaited: a tool that never settles must not turn into node's own exit code 13.
void main(process.argv.slice(2));
