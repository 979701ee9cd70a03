import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Api, HttpDeps } from '../deps.js';

declare module 'fastify' {
  interface FastifySchema {
    /** Multipart form of an upload: for the description only, the handler reads the stream itself. */
    upload?: z.ZodType;
    /** JSON body that the handler checks itself, because the route takes a form as well. */
    uploadJson?: z.ZodType;
  }
}

const toJson = createJsonSchemaTransform({});

/** Collects the routes into an OpenAPI 3.1 description. */
export async function openApi(api: Api, { settings }: HttpDeps): Promise<void> {
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kindred API',
        version: settings.version,
        description:
          'Protein function annotation by nearest kin. Every path is also served without /v1 (deprecated). Refusals are problem documents (RFC 9457).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'Authorization: ApiKey <key>',
          },
          apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
        },
      },
    },
    transform: (document) => {
      const { upload, uploadJson, ...schema } = document.schema ?? {};
      const result = toJson({ ...document, schema } as Parameters<typeof toJson>[0]);
      if (upload === undefined || result.schema === undefined) return result;
      const body = z.toJSONSchema(uploadJson === undefined ? upload : z.union([upload, uploadJson]), {
        io: 'input',
        unrepresentable: 'any',
      });
      delete body.$schema;
      return { ...result, schema: { ...result.schema, body } };
    },
    transformObject: jsonSchemaTransformObject,
  });
}
