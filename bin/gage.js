#!/usr/bin/env node
import { main } from '../dist/cli.js';

void main(process.argv.slice(2), { family: 'gage' });
