# Prints a TensorBoard event file, a line an event, by way of Google's protobuf: its own reader of
# the wire, given the field numbers of the public messages.
import struct
import sys

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    sys.exit(3)  # the test skips

KIND = descriptor_pb2.FieldDescriptorProto


def describe():
    proto = descriptor_pb2.FileDescriptorProto(name="event.proto", package="events")

    def message(name, *fields):
        described = proto.message_type.add(name=name)
        for field, number, kind, repeated, of in fields:
            label = KIND.LABEL_REPEATED if repeated else KIND.LABEL_OPTIONAL
            described.field.add(name=field, number=number, type=kind, label=label, type_name=of)

    message("Value", ("tag", 1, KIND.TYPE_STRING, False, None),
            ("simple_value", 2, KIND.TYPE_FLOAT, False, None))
    message("Summary", ("value", 1, KIND.TYPE_MESSAGE, True, ".events.Value"))
    message("Event", ("wall_time", 1, KIND.TYPE_DOUBLE, False, None),
            ("step", 2, KIND.TYPE_INT64, False, None),
            ("file_version", 3, KIND.TYPE_STRING, False, None),
            ("summary", 5, KIND.TYPE_MESSAGE, False, ".events.Summary"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(proto)
    event = pool.FindMessageTypeByName("events.Event")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(event)
    return message_factory.MessageFactory(pool).GetPrototype(event)


Event = describe()
with open(sys.argv[1], "rb") as file:
    while header := file.read(12):
        data = file.read(struct.unpack("<Q", header[:8])[0])
        file.read(4)
        event = Event.FromString(data)
        event.DiscardUnknownFields()
        assert event.SerializeToString() == data  # nothing that the messages do not know
        values = event.summary.value
        assert len(values) <= 1
        print("%.6f %d %s %s %.6g" % (event.wall_time, event.step, event.file_version or "-",
                                      values[0].tag if values else "-",
                                      values[0].simple_value if values else 0))
