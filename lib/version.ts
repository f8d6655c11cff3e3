/** The version of toolwire; it stands below all layers, so that each may name it. */
export { version } from './text/version.ts';
