export { type Aspect as OntologyAspect, aspects as ontologyAspects } from '../vocabulary/index.js';
