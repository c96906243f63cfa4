package dev.berth.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

/** A record component that cannot be null must be there; Jackson would make it 0 or false. */
final class RequiredPrimitives extends JacksonAnnotationIntrospector {

  private static final long serialVersionUID = 1L;

  @Override
  public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
    Boolean said = super.hasRequiredMarker(config, member);
    boolean primitive = member instanceof AnnotatedParameter && member.getRawType().isPrimitive();
    return said == null && primitive ? Boolean.TRUE : said;
  }
}
