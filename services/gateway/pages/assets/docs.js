// Loaded before the reference's bundle. Its copy of zod would try whether `eval` works, which the page forbids.
globalThis.__zod_globalConfig = { jitless: true };

const { description } = document.currentScript.dataset;

addEventListener('DOMContentLoaded', () =>
  globalThis.Scalar.createApiReference('#reference', {
    url: description,
    // Fields in the order of the specification.
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    // No part of it may ask or advertise the maker's services.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  }),
);
